// Reads H-Anim's displacers as blend shapes.
//
// A displacer moves some points of a list of coordinates by vectors times its weight. A segment's
// displacer moves the segment's `coord`. A joint's moves the humanoid's skinCoord, by vectors in
// the joint's space, which at rest is the body's: they turn with that joint, whichever joints move
// the points.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_DISPLACERS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_DISPLACERS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/formats/x3d/scene.h"
#include "libs/formats/x3d/surface_fields.h"
#include "libs/skel/affine.h"
#include "libs/skel/rig.h"

namespace posewire::x3d {

// Returns the shape of the rig that a displacer names: "x_jawOpen_action" is jawOpen. H-Anim adds
// x_ before names that are not the standard's, and the level of a displacer (_feature, _action,
// _config) after them. Other names are unchanged.
std::string X3dShapeName(absl::string_view name, const skel::Rig& standard);

// Adds the displacers of a joint or a segment to a mesh made from `file_points` points, of which
// point_of lists those that it has; `place` transforms them to the mesh's points. One that moves no
// point of the mesh is skipped. INVALID_ARGUMENT begins with the line and names field, index and
// value; RESOURCE_EXHAUSTED names a limit.
// `joint` is the owner's place in the skin; -1: a segment, whose points are all its own. A shape
// keeps it if it moves points of other joints too.
absl::Status AddX3dDisplacers(const Scene& scene, const X3dNode& owner, int joint,
                              const skel::Affine& place, const skel::Rig& standard,
                              const character::Limits& limits, X3dNumbers& numbers,
                              std::vector<std::string>& notes, character::Mesh& mesh);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_DISPLACERS_H_
