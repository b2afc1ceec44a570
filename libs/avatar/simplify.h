// Fewer triangles, for drawing without a GPU.
#ifndef POSEWIRE_LIBS_AVATAR_SIMPLIFY_H_
#define POSEWIRE_LIBS_AVATAR_SIMPLIFY_H_

#include <vector>

#include "absl/types/span.h"
#include "libs/avatar/model.h"
#include "libs/skel/math.h"

namespace posewire::avatar {

// Points of a surface in several poses: poses[k][i] is where point i is in pose k.
using SurfacePoses = std::vector<std::vector<skel::Vec3>>;

// Removes points from a surface, the least noticeable first, while it stays within about
// `tolerance_m` of its form in every pose. Remaining points stay as they were, with their normals,
// colours, influences and offsets. Open edges keep their line, and points that lie on others in
// some pose (lips, lids) all stay.
//
// The method: half-edge collapses by quadrics (Garland and Heckbert, 1997), summed over poses as by
// Mohr and Gleicher ("Deformation Sensitive Decimation", 2003); here the worst pose counts. `poses`
// must have at least one pose; sizes must fit.
Surface Simplify(const Surface& surface, const SurfacePoses& poses, float tolerance_m);

// The model as a page draws it: some 26,000 triangles. Body and head are simplified in poses that
// bend every large joint and move the whole face. The same model always gives the same result.
Model MakeLight(const Model& model);

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_SIMPLIFY_H_
