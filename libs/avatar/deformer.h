// The avatar in a pose: shapes first, then joints.
#ifndef POSEWIRE_LIBS_AVATAR_DEFORMER_H_
#define POSEWIRE_LIBS_AVATAR_DEFORMER_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/avatar/model.h"
#include "libs/mesh/blend_shapes.h"
#include "libs/mesh/skin_job.h"
#include "libs/skel/affine.h"
#include "libs/skel/pose.h"

namespace posewire::avatar {

// Holds the model, which must outlive it, and the arrays of one pose. One thread at a time.
class Deformer {
 public:
  explicit Deformer(const Model& model,
                    mesh::SkinningMethod method = mesh::SkinningMethod::kClassicLinear);

  // Computes every surface in `pose`, on the model's rig; absent values are at rest. Normals rotate
  // with the joints; where shapes move a surface they are recomputed. INVALID_ARGUMENT for a pose
  // of another size.
  absl::Status Pose(const skel::PoseView& pose);

  // For a surface, after Pose.
  absl::Span<const skel::Vec3> points(size_t surface) const { return parts_[surface].points; }
  absl::Span<const skel::Vec3> normals(size_t surface) const { return parts_[surface].normals; }
  // In model space.
  absl::Span<const skel::Affine> joints() const { return joints_; }

 private:
  struct Part {
    std::vector<mesh::BlendShape> shapes;
    std::vector<int> shape_of_rig;
    std::vector<float> shape_weights;
    std::vector<int> indices;
    std::vector<float> weights;
    std::vector<skel::Vec3> points, normals;
  };

  const Model& model_;
  mesh::SkinningMethod method_;
  std::vector<Part> parts_;
  std::vector<skel::Affine> joints_, transforms_;
};

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_DEFORMER_H_
