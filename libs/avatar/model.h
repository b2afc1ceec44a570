// The avatar that people see: a clothed body and a head with all face and tongue shapes, modelled
// in code.
//
// Space and units are the rig's: right-handed, metres, Y up, Z front, X the avatar's left. Surfaces
// are in the bind pose (arms and legs spread, so that nothing touches), which is not the rig's rest
// pose; skinning with inverse(bind) * model matrix takes them there. Triangles are
// counter-clockwise seen from outside.
#ifndef POSEWIRE_LIBS_AVATAR_MODEL_H_
#define POSEWIRE_LIBS_AVATAR_MODEL_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"

namespace posewire::avatar {

// How light meets a surface. Colours are linear, 0..1; a point's own colour multiplies `color`.
struct Material {
  std::string name;
  skel::Vec3 color{1, 1, 1};
  float roughness = 0.6f;
  // Subsurface scattering, which softens the edge of the shade: skin has some, cloth none.
  float scatter = 0;
};

// The joints that move a point, heaviest first; weights sum to 1, unused ones are joint 0, weight
// 0.
struct Influences {
  std::array<int16_t, 4> joint{};
  std::array<float, 4> weight{};
};

// What a shape at weight 1 adds to points of a surface: offsets[i] to points[indices[i]].
struct Target {
  int shape = -1;  // in the rig
  std::vector<int32_t> indices;
  std::vector<skel::Vec3> offsets;
};

// A surface of one material. Arrays have one entry per point; `triangles` three indices per
// triangle.
struct Surface {
  std::string name;
  int material = 0;
  std::vector<skel::Vec3> points, normals, colors;
  std::vector<Influences> influences;
  std::vector<int32_t> triangles;
  std::vector<Target> targets;
};

struct Model {
  std::shared_ptr<const skel::Rig> rig;
  std::vector<skel::Affine> bind;  // model space, a joint each
  std::vector<Material> materials;
  std::vector<Surface> surfaces;
};

// Models the avatar for `rig`, which must have the joints of hanim_loa3; it gets a target for each
// of the 52 ARKit and 16 tongue shapes that the rig has. Takes a while (under a second): make it
// once and share it. The same rig always gives the same model. INVALID_ARGUMENT names a missing
// joint.
absl::StatusOr<Model> MakeModel(std::shared_ptr<const skel::Rig> rig);

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_MODEL_H_
