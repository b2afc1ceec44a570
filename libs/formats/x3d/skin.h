// Which joints of an H-Anim humanoid move the points of its skin.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SKIN_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SKIN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/formats/x3d/humanoid.h"
#include "libs/formats/x3d/scene.h"
#include "libs/formats/x3d/surface_fields.h"
#include "libs/skel/affine.h"

namespace posewire::x3d {

// Of each point as many influences as the point with most has, those that are missing with weight
// 0. Places among the joints count from 1; 0 is the humanoid itself, which stays where it is.
struct X3dInfluences {
  size_t points = 0;
  int per_point = 1;
  std::vector<int> joints;
  std::vector<float> weights;
  bool exists() const { return points > 0; }
};

// By skinCoordIndex and skinCoordWeight of the joints. A point goes p + sum of w (M p - p), as
// ISO/IEC 19774-1 has it: what its weights lack to 1, it stays behind. Of over 16 influences of a
// point the heaviest count, with a note. INVALID_ARGUMENT begins with the line and names field and
// index; RESOURCE_EXHAUSTED by `numbers`.
absl::StatusOr<X3dInfluences> ReadX3dInfluences(const Scene& scene, const Humanoid& humanoid,
                                                size_t points, X3dNumbers& numbers,
                                                std::vector<std::string>& notes);

// What takes points of the skin into the spaces of its joints' bind, in metres: one a joint, of
// HAnimHumanoid's jointBindingPositions, jointBindingRotations and jointBindingScales in the order
// of its `joints`, as X_ITE has them. Empty where the humanoid has none, and its skin is bound as
// it is modelled. INVALID_ARGUMENT with line and field for numbers that are no such list.
absl::StatusOr<std::vector<skel::Affine>> ReadX3dBinding(const Scene& scene,
                                                         const Humanoid& humanoid, float radians,
                                                         X3dNumbers& numbers);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SKIN_H_
