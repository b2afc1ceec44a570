// What a node showed at its last two ticks, for what is eased from there.
#ifndef POSEWIRE_LIBS_GRAPH_SHOWN_H_
#define POSEWIRE_LIBS_GRAPH_SHOWN_H_

#include <array>

#include "libs/skel/pose.h"

namespace posewire::graph {

// The joints first..first + joints of a pose, with all its shapes; `first` is a multiple of
// kPartStep, so that rows stay aligned.
inline constexpr int kPartStep = 16;
template <typename Span>
Span Part(Span pose, int first, int joints) {
  pose.joints = joints;
  for (auto* row : {&pose.tx, &pose.ty, &pose.tz, &pose.qw, &pose.qx, &pose.qy, &pose.qz, &pose.sx,
                    &pose.sy, &pose.sz}) {
    *row += first;
  }
  for (auto* row : {&pose.has_t, &pose.has_r, &pose.has_s}) *row += first;
  return pose;
}

// Of the joints first..first + joints of a rig, and of all its shapes. What a pose did not say has
// presence 0 and no value here.
//
// One avatar, one thread. Only the constructor allocates.
class Shown {
 public:
  Shown(int first, int joints, int shapes);

  // The pose of this tick, of its joints; it takes the place of the older one.
  void Keep(double dt_s, const skel::PoseView& pose);
  void Forget() { ticks_ = 0; }
  // Becomes what `other` is, for the joints that both have; all others stay.
  void Take(const Shown& other);

  // How many poses there are, 0 to 2, and the time between the two.
  int ticks() const { return ticks_; }
  double dt_s() const { return dt_s_; }
  skel::PoseView newest() const { return poses_[newest_].view(); }
  // The newest where there is but one.
  skel::PoseView before() const { return poses_[ticks_ > 1 ? 1 - newest_ : newest_].view(); }
  int first() const { return first_; }
  int joints() const { return poses_[0].joints(); }

 private:
  int first_;
  std::array<skel::Pose, 2> poses_;
  size_t newest_ = 0;
  int ticks_ = 0;
  double dt_s_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_SHOWN_H_
