// Chooses the rig for a clip's names.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_RIG_CHOICE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_RIG_CHOICE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"

namespace posewire::animclip {

// Returns the rig with the most matching joint names, and among equals the one with the fewest
// joints; the standard rig first if none has more matches. "" if no rig matches any.
std::string GuessRig(const wire::StreamHeader& header);

// `name` is a built-in rig, a rig file (with a '/' in its path, or ".rig" at the end), a file with
// a skeleton (.glb, .vrm, .bvh, .usda), or "auto". With "auto" and no known joints: the standard
// rig. NOT_FOUND with the known names, or the path; errors in rig files have the line.
absl::StatusOr<std::shared_ptr<const skel::Rig>> ChooseRig(const std::string& name,
                                                           const wire::StreamHeader& header,
                                                           const skel::RigCatalog& catalog);

// Returns the shapes to build the catalog with: "arkit68" if the clip moves the tongue.
std::string ShapesFor(const wire::StreamHeader& header);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_RIG_CHOICE_H_
