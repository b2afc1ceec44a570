// Reads which joints of an H-Anim humanoid move the points of its skin.
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

// Every point has as many influences as the point with most has; missing ones have weight 0. Joint
// indices count from 1; 0 is the humanoid itself, which does not move.
struct X3dInfluences {
  size_t points = 0;
  int per_point = 1;
  std::vector<int> joints;
  std::vector<float> weights;
  bool exists() const { return points > 0; }
};

// Reads skinCoordIndex and skinCoordWeight of the joints. A point moves by p + sum of w (M p - p),
// as in ISO/IEC 19774-1: if its weights sum to less than 1, it lags by the rest. Of over 16
// influences of a point, the greatest are used, with a note. INVALID_ARGUMENT begins with the line
// and names field and index; RESOURCE_EXHAUSTED by `numbers`.
absl::StatusOr<X3dInfluences> ReadX3dInfluences(const Scene& scene, const HAnimHumanoid& humanoid,
                                                size_t points, X3dNumbers& numbers,
                                                std::vector<std::string>& notes);

// Returns the transforms from points of the skin to its joints' bind spaces, in metres: one per
// joint, from HAnimHumanoid's jointBindingPositions, jointBindingRotations and jointBindingScales
// in the order of its `joints`, as in X_ITE. Empty if the humanoid has none, and its skin is bound
// as modelled. INVALID_ARGUMENT with line and field for invalid lists.
absl::StatusOr<std::vector<skel::Affine>> ReadX3dBinding(const Scene& scene,
                                                         const HAnimHumanoid& humanoid,
                                                         float radians, X3dNumbers& numbers);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SKIN_H_
