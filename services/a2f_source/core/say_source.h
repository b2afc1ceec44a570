// A speaking avatar from text: voice, face, head and hands.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_SOURCE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/speech/voice.h"
#include "libs/timecode/frame_rate.h"
#include "services/a2f_source/core/source.h"

namespace posewire::a2f_source {

struct SayOptions {
  timecode::FrameRate fps;  // keys a second; 24 to 120
  uint64_t seed = 0;        // chooses among the ways to move; the words do so as well
  bool body = true;         // head and gestures; without it the stream names no joints
  bool hands = true;        // announces gestures (posewire.gesture.v1)
};

// One message a frame: the weights of FaceShapeNames(), the rotations of HeadJointNames() unless
// the options leave them out, the gesture that is to be announced, and the frame's share of the
// sound (from floor(k R / fps) to floor((k + 1) R / fps)) at the voice's own rate R. After the
// voice comes 0.5 s of silence in which face and body come to rest. The voice is made sentence by
// sentence as messages are asked for. The same text, options and voice give the same messages.
//
// Header and Next return the voice's error when it can speak no part of the text, and
// INVALID_ARGUMENT when no word of it can be spoken.
class SaySource : public Source {
 public:
  // INVALID_ARGUMENT for text that CleanSpeechText rejects, and for a frame rate out of range.
  static absl::StatusOr<std::unique_ptr<SaySource>> Make(absl::string_view text,
                                                         std::unique_ptr<speech::Voice> voice,
                                                         const SayOptions& options = {});
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_SOURCE_H_
