// A small schematic face drawn from ARKit blend shape weights, to judge lids, brows, gaze and mouth
// at an instant.
#ifndef POSEWIRE_LIBS_DIAGRAM_FACE_H_
#define POSEWIRE_LIBS_DIAGRAM_FACE_H_

#include "absl/types/span.h"
#include "libs/diagram/canvas.h"
#include "libs/skel/rig.h"

namespace posewire::diagram {

// Returns true if the rig has the shapes that a face needs (jawOpen and the eyelids).
bool HasFace(const skel::Rig& rig);

// `weights` in the rig's order; mouthClose is ACE's, as in a stream. The face fills `box` and is
// seen from the front: its left side is on the right of the page.
void DrawFace(Canvas& canvas, const skel::Rig& rig, absl::Span<const float> weights,
              const Rect& box);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_FACE_H_
