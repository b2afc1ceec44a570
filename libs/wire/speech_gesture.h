// posewire.gesture.v1.SpeechGesture between plain numbers and a metadata entry.
#ifndef POSEWIRE_LIBS_WIRE_SPEECH_GESTURE_H_
#define POSEWIRE_LIBS_WIRE_SPEECH_GESTURE_H_

#include <optional>

#include "libs/wire/chunk.h"

namespace posewire::wire {

// Fields as in the .proto file.
struct SpeechGesture {
  enum Kind {
    kBeat = 0,
    kQuestion = 1,
    kNegation = 2,
    kList = 3,
    kNumber = 4,
    kContrast = 5,
    kPoint = 6,
    kSelf = 7,
    kYou = 8,
    kGreeting = 9,
    kTopic = 10
  };
  int kind = kBeat;
  float strength = 0;
  double stroke_in_s = 0;
  double end_in_s = 0;
  int number = 0;
};

MetadataEntry ToMetadata(const SpeechGesture& gesture);

// Returns nothing if the entry has another key, cannot be parsed, or has a strength outside 0..1 or
// a time that is not within an hour.
std::optional<SpeechGesture> ReadSpeechGesture(const MetadataEntry& entry);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_SPEECH_GESTURE_H_
