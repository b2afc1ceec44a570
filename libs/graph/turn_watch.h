// Detects when a mix of rotations flips to the other side.
#ifndef POSEWIRE_LIBS_GRAPH_TURN_WATCH_H_
#define POSEWIRE_LIBS_GRAPH_TURN_WATCH_H_

#include <algorithm>
#include <cmath>
#include <vector>

#include "libs/graph/node.h"
#include "libs/graph/transition_requests.h"
#include "libs/graph/turns.h"
#include "libs/skel/pose.h"

namespace posewire::graph {

// Between rotations half a turn apart, the shorter way changes sides while neither moves much, and
// the mix jumps. Any joint of a mix that rotates further than kMost_rad in a 30th of a second
// counts as such a jump.
//
// One avatar, one thread. Only the constructor allocates.
class TurnWatch {
 public:
  explicit TurnWatch(int joints)
      : joints_(static_cast<size_t>(joints)), last_(4 * joints_), has_(joints_) {}

  // Requests easing of each joint that jumped since the previous call. If `mixed` is false, `pose`
  // is not a mix, and the next one counts as the first.
  void Ask(const TickContext& ctx, bool mixed, const skel::PoseView& mix) {
    if (!mixed) return Forget();
    const double frames = std::clamp(ctx.dt_s * 30, 0.25, 6.0);
    const auto cos = static_cast<float>(std::cos(kMost_rad * frames / 2));
    const float least = cos * cos;
    const RotationRows before = last(), now = RotationsOf(mix);
    if (LeastTurnCos2(before, now, joints_) < least) {
      for (size_t j = 0; j < joints_; ++j) {
        const bool jumped = (before.has[j] & now.has[j]) != 0 && TurnCos2(before, now, j) < least;
        if (jumped && ctx.asks != nullptr) ctx.asks->Ask(1, j, kJumpEase_s);
      }
    }
    any_ = true;
    std::copy_n(mix.has_r, joints_, has_.data());
    float* row = last_.data();
    for (const float* from : {mix.qw, mix.qx, mix.qy, mix.qz})
      row = std::copy_n(from, joints_, row);
  }

 private:
  static constexpr double kMost_rad = 0.44;  // 25 degrees

  void Forget() {
    if (any_) std::fill(has_.begin(), has_.end(), uint8_t{0});
    any_ = false;
  }

  RotationRows last() const {
    const float* w = last_.data();
    return {w, w + joints_, w + 2 * joints_, w + 3 * joints_, has_.data()};
  }

  size_t joints_;
  std::vector<float> last_;  // w, x, y, z, each for all joints
  std::vector<uint8_t> has_;
  bool any_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_TURN_WATCH_H_
