#include "libs/graph/node.h"

#include <algorithm>
#include <iterator>

namespace posewire::graph {

void Contributions::Add(const Contribution& c) {
  if (count < kMost) {
    items[static_cast<size_t>(count++)] = c;
    return;
  }
  auto least = std::min_element(items.begin(), items.end(),
                                [](const auto& a, const auto& b) { return a.weight < b.weight; });
  if (least->weight < c.weight) *least = c;
}

void Contributions::AddClip(const clip::Clip& clip, double time_s, float weight) {
  if (clip.frames() == 0) return;
  const skel::PoseView first = clip.frame(0);
  const double held_s = std::min(time_s, clip.duration_s());
  const auto set = [](uint8_t b) { return b != 0; };
  if (std::any_of(first.has_r, first.has_r + first.joints, set)) {
    Add({&clip, held_s, weight, Region::kBody});
  }
  if (std::any_of(first.has_w, first.has_w + first.shapes, set)) {
    Add({&clip, held_s, weight, Region::kFace});
  }
}

}  // namespace posewire::graph
