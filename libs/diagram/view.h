// The viewer's direction: an orthographic camera from the figure's space to the page's.
#ifndef POSEWIRE_LIBS_DIAGRAM_VIEW_H_
#define POSEWIRE_LIBS_DIAGRAM_VIEW_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/math.h"

namespace posewire::diagram {

// kFront: the viewer faces the avatar, whose left side is on the right of the page.
// kSide: from the avatar's right; it looks to the right of the page.
// kThreeQuarter: from the front, 40 degrees to the avatar's right.
enum class View { kFront, kSide, kThreeQuarter };

// Axes of the page in the figure's space: x to the right, y up, z towards the viewer.
struct ViewAxes {
  skel::Vec3 right, up, toward;

  skel::Vec3 Project(skel::Vec3 p) const {
    return {skel::Dot(p, right), skel::Dot(p, up), skel::Dot(p, toward)};
  }
};
ViewAxes AxesOf(View view);

// Returns "front", "side" or "3/4".
absl::string_view NameOf(View view);

// Parses "front,side,3/4" in any order. INVALID_ARGUMENT names an unknown word; also for an empty
// list and for a duplicate view.
absl::StatusOr<std::vector<View>> ParseViews(absl::string_view text);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_VIEW_H_
