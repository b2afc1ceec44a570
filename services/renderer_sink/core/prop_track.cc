#include "services/renderer_sink/core/prop_track.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libs/skel/math.h"
#include "services/renderer_sink/core/frame_codes.h"

namespace posewire::renderer_sink {

void PropTrack::Add(double at_s, std::vector<wire::Prop> props) {
  if (states_.size() >= most_) states_.erase(std::prev(states_.end()));
  states_[at_s] = std::move(props);
}

std::vector<wire::Prop> PropTrack::At(double at_s) const {
  const auto next = states_.upper_bound(at_s + kSameCode_s);
  if (next == states_.begin()) return {};
  const auto last = std::prev(next);
  std::vector<wire::Prop> out = last->second;
  if (next == states_.end()) return out;
  const double step_s = next->first - last->first, on_s = at_s - last->first;
  if (step_s > kLongestStep_s || on_s < kSameCode_s) return out;
  const auto share = static_cast<float>(on_s / step_s);
  for (wire::Prop& p : out) {
    const auto later = std::find_if(next->second.begin(), next->second.end(),
                                    [&](const wire::Prop& one) { return one.name == p.name; });
    if (later == next->second.end()) continue;
    p.position = skel::Lerp(p.position, later->position, share);
    p.rotation = skel::Nlerp(p.rotation, later->rotation, share);
  }
  return out;
}

void PropTrack::DiscardBefore(double at_s) {
  const auto next = states_.upper_bound(at_s);
  if (next != states_.begin()) states_.erase(states_.begin(), std::prev(next));
}

}  // namespace posewire::renderer_sink
