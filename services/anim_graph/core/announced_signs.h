// What a source announces about its voice in metadata: gestures for its words, and its mood.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ANNOUNCED_SIGNS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ANNOUNCED_SIGNS_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "libs/graph/node.h"
#include "libs/wire/chunk.h"
#include "libs/wire/speech_gesture.h"
#include "libs/wire/voice_mood.h"

namespace posewire::anim_graph {

// Entries wait until their time code is due. Take does not allocate. One thread.
class AnnouncedSigns {
 public:
  // Keeps the gestures and moods among the entries of a message. Codes must not decrease.
  void Append(double time_code_s, absl::Span<const wire::MetadataEntry> entries);
  // Moves on to a time code, which must not decrease.
  void Take(double time_code_s);
  void DropGesture() { has_gesture_ = false; }

  // The gesture that became due with the last Take; null: none.
  const graph::SpeechGestureInput* gesture() const { return has_gesture_ ? &gesture_ : nullptr; }
  // The mood that became due last.
  const std::optional<wire::VoiceMood>& mood() const { return mood_; }

  // Of those that wait.
  size_t bytes() const { return gestures_.bytes() + moods_.bytes(); }

 private:
  template <typename Sign>
  struct Queue {
    std::vector<std::pair<double, Sign>> all;
    size_t head = 0;  // those before it were taken
    // Returns the next one that is due; null: none is. Valid until the next call.
    const std::pair<double, Sign>* Next(double time_code_s);
    size_t bytes() const { return (all.size() - head) * sizeof(all[0]); }
  };

  Queue<wire::SpeechGesture> gestures_;
  Queue<wire::VoiceMood> moods_;
  bool has_gesture_ = false;
  graph::SpeechGestureInput gesture_;
  std::optional<wire::VoiceMood> mood_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ANNOUNCED_SIGNS_H_
