// Swaps left and right.
#ifndef POSEWIRE_LIBS_SKEL_MIRROR_H_
#define POSEWIRE_LIBS_SKEL_MIRROR_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// The name with left and right exchanged: "l_" and "r_" at the front, "_l" and "_r" or ".L" and
// ".R" at the end, or the word Left or Right (in lower case or capitalised) or "_L_" and "_R_"
// within; the same name if it has none of them.
std::string OtherSide(absl::string_view name);

// Mirrors poses of one rig at the plane x = 0: whatever a joint does away from rest in model space,
// its partner on the other side does mirrored; joints without a partner mirror themselves. Rest
// stays rest, even if the rig is not symmetrical. Shapes swap with their partners.
//
// Making one allocates; running it does not. Any thread.
class Mirror {
 public:
  explicit Mirror(const Rig& rig);

  // `in` and `out` have the rig's size and must not overlap. Presence goes along.
  void Run(const PoseView& in, const PoseSpan& out) const;

  int joint_partner(int j) const { return joints_[static_cast<size_t>(j)].partner; }
  int shape_partner(int s) const { return shapes_[static_cast<size_t>(s)]; }

 private:
  struct Joint {
    int partner;
    Vec3 rest;
    Quat parent, self;  // the rest rotations in model space
  };
  std::vector<Joint> joints_;
  std::vector<int> shapes_;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_MIRROR_H_
