// Requests of nodes to ease elements of a pose.
//
// A node that switches makes its pose jump and requests easing of the elements that jump. Its
// requests are passed up with its pose and are treated like the pose on the way: a layer that
// covers everything drops them, a mirror swaps their sides, a delay holds them back. The stage
// above (EaseStage) eases the requested elements. See docs/adr/0031-one-place-that-eases.md.
#ifndef POSEWIRE_LIBS_GRAPH_TRANSITION_REQUESTS_H_
#define POSEWIRE_LIBS_GRAPH_TRANSITION_REQUESTS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "libs/skel/mask.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig_limits.h"

namespace posewire::graph {

// Duration of easing: when a node switches what it plays, and for other jumps.
inline constexpr double kSwitchEase_s = 0.4, kJumpEase_s = 0.3;
// Elements are in rows: 0 translations, 1 rotations, 2 scales, 3 shapes.
inline constexpr size_t kElementRows = 4;
inline const uint8_t* PresenceRow(const skel::PoseView& pose, size_t row) {
  return row == 0 ? pose.has_t : row == 1 ? pose.has_r : row == 2 ? pose.has_s : pose.has_w;
}
// Returns the weight of an element in a mask (null: 1).
inline float AmountOf(const skel::Mask* mask, size_t row, size_t element) {
  if (mask == nullptr) return 1;
  const auto i = static_cast<int>(element);
  return row < 3 ? mask->joint(i) : mask->shape(i);
}

// Durations for one tick, for a rig of any size. Lives on the stack and is usually empty, which
// costs nothing. A later request is nearer the output, and overrides.
class TransitionRequests {
 public:
  using Ms = uint16_t;  // milliseconds, 0: not requested
  static Ms MsOf(double seconds) {
    return static_cast<Ms>(std::lround(std::clamp(seconds, 0.001, 60.0) * 1000));
  }

  TransitionRequests(int joints, int shapes)
      : joints_(static_cast<size_t>(joints)), shapes_(static_cast<size_t>(shapes)) {}
  TransitionRequests(const TransitionRequests&) = delete;
  TransitionRequests& operator=(const TransitionRequests&) = delete;

  bool any() const { return any_; }
  void Clear() { any_ = false; }
  size_t size(size_t row) const { return row < 3 ? joints_ : shapes_; }
  Ms at(size_t row, size_t element) const { return any_ ? ms_[row * joints_ + element] : Ms{0}; }
  // Requests easing of one element.
  void Ask(size_t row, size_t element, double seconds) {
    Begin();
    ms_[row * joints_ + element] = MsOf(seconds);
  }
  // Requests easing of all elements.
  void AskAll(double seconds) {
    any_ = true;
    std::fill_n(ms_.begin(), 3 * joints_ + shapes_, MsOf(seconds));
  }
  // Calls f(row, element, Ms&) for each element.
  template <typename F>
  void Each(F f) {
    Begin();
    for (size_t row = 0; row < kElementRows; ++row) {
      for (size_t i = 0; i < size(row); ++i) f(row, i, ms_[row * joints_ + i]);
    }
  }
  // Drops the requests for which `covered(row, element)` is true.
  template <typename F>
  void Drop(F covered) {
    if (!any_) return;
    Each([&](size_t row, size_t i, Ms& ms) {
      if (ms != 0 && covered(row, i)) ms = 0;
    });
  }

 private:
  void Begin() {
    if (!any_) std::fill_n(ms_.begin(), 3 * joints_ + shapes_, Ms{0});
    any_ = true;
  }

  size_t joints_, shapes_;
  bool any_ = false;
  std::array<Ms, 3 * skel::kMostJoints + skel::kMostShapes> ms_;  // undefined while !any_
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_TRANSITION_REQUESTS_H_
