// What a node showed at its last two ticks, for what is eased from there.
#ifndef POSEWIRE_LIBS_GRAPH_SHOWN_H_
#define POSEWIRE_LIBS_GRAPH_SHOWN_H_

#include <array>
#include <cstdint>

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

// How many of its last poses somebody can tell, 0 to 2, and the time between the two.
struct Memory {
  int ticks = 0;
  double dt_s = 0;
};

// Of the joints first..first + joints of a rig, and of all its shapes. What a pose did not say has
// presence 0 and no value here.
//
// Joints stand and are scaled as at rest nearly always: that is seen without a look at this memory,
// which the many avatars of a server would drive out of the cache. So are joints that a pose does
// not say.
//
// One avatar, one thread. Only the constructor allocates.
class Shown {
 public:
  // `rest` is what translations and scales mostly are, of the whole rig; it outlives this. An empty
  // pose: not known.
  Shown(int first, int joints, int shapes, const skel::PoseView& rest = {});

  // The pose of this tick, of its joints; it takes the place of the older one.
  void Keep(double dt_s, const skel::PoseView& pose);
  void Forget() { ticks_ = 0; }
  // Writes the newest pose (`ago` 0) or the older one (1) into a pose of the whole rig, of the
  // joints and shapes that this has; all others stay.
  void Write(int ago, const skel::PoseSpan& out) const;

  // How many poses there are, 0 to 2, and the time between the two.
  int ticks() const { return ticks_; }
  double dt_s() const { return dt_s_; }
  Memory memory() const { return {ticks_, dt_s_}; }
  skel::PoseView newest() const { return poses_[newest_].pose.view(); }
  // The newest where there is but one.
  skel::PoseView before() const { return poses_[ticks_ > 1 ? 1 - newest_ : newest_].pose.view(); }
  int first() const { return first_; }
  int joints() const { return poses_[0].pose.joints(); }
  const skel::PoseView& rest() const { return rest_; }

 private:
  // A pose, and which blocks of its translations and scales may differ from those at rest.
  struct Kept {
    skel::Pose pose;
    uint64_t moved = 0;
    bool says_all = false;
  };
  void CopyPlaces(const skel::PoseView& from, Kept& to) const;
  void Copy(const skel::PoseView& from, Kept& to) const;

  int first_;
  skel::PoseView rest_;  // of these joints; of none where it is not known
  std::array<Kept, 2> poses_;
  size_t newest_ = 0;
  int ticks_ = 0;
  double dt_s_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_SHOWN_H_
