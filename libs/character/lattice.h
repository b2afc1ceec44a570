// Pulls points with a box of control points (free-form deformation: Sederberg and Parry 1986).
//
// The box follows a node. Each control point is moved by its pushes, times the values of their
// drives; a point inside is moved by the Bernstein mean of the control points' moves, at its place
// in the box. Points outside stay: a box whose outer control points move should contain its meshes
// entirely.
#ifndef POSEWIRE_LIBS_CHARACTER_LATTICE_H_
#define POSEWIRE_LIBS_CHARACTER_LATTICE_H_

#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/point_skin.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::character {

// Moves the points of the lattice's meshes, in character space. `node` is the transform of its
// node; `values` has one entry for each of its moves. `points` has one entry for each point of
// `skin`. Does not allocate.
void ApplyLattice(const Lattice& lattice, const skel::Affine& node, absl::Span<const float> values,
                  const PointSkin& skin, absl::Span<skel::Vec3> points);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_LATTICE_H_
