// The weight of a layer for each joint and each shape.
#ifndef POSEWIRE_LIBS_SKEL_MASK_H_
#define POSEWIRE_LIBS_SKEL_MASK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// Weights 0..1 for one rig. The constructors allocate; reading does not.
class Mask {
 public:
  Mask() = default;
  // Sets every joint and shape of `rig` to `weight`.
  Mask(const Rig& rig, float weight);

  // A region by name, at weight 1, everything else at 0. Regions overlap:
  //   face        lids, eyes, brows, jaw, and all shapes
  //   head        neck and head with the face
  //   upper_body  the spine and everything attached to it: head and arms
  //   left_arm, right_arm   from the collar bone to the finger tips
  //   arms        both
  //   hands       both, from the wrists down
  //   legs        both, from the hip joints down
  // Bones that the rig lacks are ignored: a rig that is not a humanoid gets zeros. NOT_FOUND lists
  // the names.
  static absl::StatusOr<Mask> Region(const Rig& rig, absl::string_view name);
  static std::vector<std::string> RegionNames();

  // Sets a joint, found by its path, an unambiguous end of it, or its alias, and all below it.
  // NOT_FOUND names the joint.
  absl::Status SetSubtree(const Rig& rig, absl::string_view joint, float weight);
  // NOT_FOUND names the shape.
  absl::Status SetShape(const Rig& rig, absl::string_view shape, float weight);
  void SetAllShapes(float weight);

  int joints() const { return static_cast<int>(joints_.size()); }
  int shapes() const { return static_cast<int>(shapes_.size()); }
  float joint(int j) const { return joints_[static_cast<size_t>(j)]; }
  float shape(int s) const { return shapes_[static_cast<size_t>(s)]; }
  const float* joint_row() const { return joints_.data(); }
  const float* shape_row() const { return shapes_.data(); }
  void set_joint(int j, float weight);
  void set_shape(int s, float weight);

 private:
  void SetSubtreeAt(const Rig& rig, int joint, float weight);

  std::vector<float> joints_;
  std::vector<float> shapes_;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_MASK_H_
