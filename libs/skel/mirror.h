// Swaps left and right.
#ifndef POSEWIRE_LIBS_SKEL_MIRROR_H_
#define POSEWIRE_LIBS_SKEL_MIRROR_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// Returns the name with left and right exchanged: "l_" and "r_" at the front, "_l" and "_r" or ".L"
// and ".R" at the end, or the words Left and Right (lower case or capitalised) or "_L_" and "_R_"
// anywhere. Returns the same name if it has none of them.
std::string OtherSide(absl::string_view name);

// Mirrors poses of one rig at the plane x = 0: the rotation and translation of a joint relative to
// rest, in model space, is applied mirrored to its partner on the other side; joints without a
// partner are mirrored themselves. Rest stays rest, even if the rig is not symmetrical. Shapes are
// swapped with their partners.
//
// The constructor allocates; Run does not. Any thread.
class Mirror {
 public:
  explicit Mirror(const Rig& rig);

  // `in` and `out` have the rig's size and must not overlap. Presence is mirrored too.
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
