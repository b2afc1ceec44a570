// Sees when a mix of rotations goes round the other side.
#ifndef POSEWIRE_LIBS_GRAPH_TURN_WATCH_H_
#define POSEWIRE_LIBS_GRAPH_TURN_WATCH_H_

#include <algorithm>
#include <cmath>
#include <vector>

#include "libs/skel/pose.h"

namespace posewire::graph {

// Between rotations that are half a turn apart the short way changes sides while neither moves
// much, and the mix jumps. Any joint of a mix that turns further than kMost in a 30th of a second
// counts as such a jump.
//
// One avatar, one thread. Only the constructor allocates.
class TurnWatch {
 public:
  explicit TurnWatch(int joints) : last_(static_cast<size_t>(joints)), has_(last_.size()) {}

  // Calls jump(joint) for each joint that jumped since the call before.
  template <typename Jump>
  void Run(double dt_s, const skel::PoseView& mix, Jump jump) {
    const double frames = std::clamp(dt_s * 30, 0.25, 6.0);
    const auto least = static_cast<float>(std::cos(kMost_rad * frames / 2));
    for (size_t j = 0; j < last_.size(); ++j) {
      const bool has = mix.has_r[j] != 0;
      const skel::Quat now = has ? mix.rotation(static_cast<int>(j)) : skel::Quat{};
      if (has && has_[j] != 0 && std::fabs(Dot(now, last_[j])) < least) jump(j);
      has_[j] = has ? 1 : 0;
      last_[j] = now;
    }
  }
  // There was no mix: the next one is the first.
  void Forget() { std::fill(has_.begin(), has_.end(), uint8_t{0}); }

 private:
  static constexpr double kMost_rad = 0.44;  // 25 degrees

  std::vector<skel::Quat> last_;
  std::vector<uint8_t> has_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_TURN_WATCH_H_
