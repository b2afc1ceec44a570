// Which rig the names of a clip belong to.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_RIG_CHOICE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_RIG_CHOICE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"

namespace posewire::animclip {

// The rig that knows most of the joint names, the one with the fewest joints of equals; the
// standard rig first when it knows as many as any. "" when no rig knows any.
std::string GuessRig(const wire::StreamHeader& header);

// `name` is a built-in rig, a rig file (with a '/' in its path, or ".rig" at the end), a file with
// a skeleton (.glb, .vrm, .bvh, .usda), or "auto".
// With "auto" and no known joints: the standard rig. NOT_FOUND with the known names, or the path;
// rig files' errors give the line.
absl::StatusOr<std::shared_ptr<const skel::Rig>> ChooseRig(const std::string& name,
                                                           const wire::StreamHeader& header,
                                                           const skel::RigCatalog& catalog);

// Shapes to build the catalog with: "arkit68" when the clip moves the tongue.
std::string ShapesFor(const wire::StreamHeader& header);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_RIG_CHOICE_H_
