#include "services/anim_graph/core/announced_signs.h"

namespace posewire::anim_graph {
namespace {

constexpr double kDue_s = 1e-6;  // time codes are doubles converted from decimals

constexpr size_t kCompact = 32;

}  // namespace

template <typename Sign>
const std::pair<double, Sign>* AnnouncedSigns::Queue<Sign>::Next(double time_code_s) {
  // The memory of those that were taken is used again, even if some always wait.
  if (head >= kCompact && 2 * head >= all.size()) {
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(head));
    head = 0;
  }
  if (head == all.size() || all[head].first > time_code_s + kDue_s) return nullptr;
  return &all[head++];
}

void AnnouncedSigns::Append(double time_code_s, absl::Span<const wire::MetadataEntry> entries) {
  for (const wire::MetadataEntry& entry : entries) {
    if (const auto gesture = wire::ReadSpeechGesture(entry)) {
      gestures_.all.emplace_back(time_code_s, *gesture);
    }
    if (const auto mood = wire::ReadVoiceMood(entry)) moods_.all.emplace_back(time_code_s, *mood);
  }
}

void AnnouncedSigns::Take(double time_code_s) {
  while (const auto* due = moods_.Next(time_code_s)) mood_ = due->second;
  has_gesture_ = false;
  // If several gestures became due since the previous tick, the newest counts.
  while (const auto* due = gestures_.Next(time_code_s)) {
    const double from_now_s = due->first - time_code_s;
    const wire::SpeechGesture& gesture = due->second;
    gesture_ = {gesture.kind, gesture.number, gesture.strength, from_now_s + gesture.stroke_in_s,
                from_now_s + gesture.end_in_s};
    has_gesture_ = true;
    // A later gesture waits for the next tick, unless the stroke of this one is already over.
    if (gesture_.stroke_in_s >= 0) break;
  }
}

}  // namespace posewire::anim_graph
