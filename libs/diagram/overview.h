// Draws many poses on one page, each in a cell with its name.
#ifndef POSEWIRE_LIBS_DIAGRAM_OVERVIEW_H_
#define POSEWIRE_LIBS_DIAGRAM_OVERVIEW_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/diagram/canvas.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::diagram {

struct OverviewCell {
  std::string name, note;  // the note is printed small below
  skel::Pose pose;         // of the rig's size; missing values are at rest
  bool face = false;  // only the face; otherwise the body above the knees in three-quarter view
};
struct OverviewGroup {
  std::string title;
  std::vector<OverviewCell> cells;
};

// Returns the encoded picture. INVALID_ARGUMENT if there are no cells, for a pose of the wrong
// size, and for a face on a rig without one.
absl::StatusOr<std::string> DrawOverview(const skel::Rig& rig, const std::string& title,
                                         const std::vector<OverviewGroup>& groups,
                                         ImageFormat format);

// Draws and writes to `path`; its extension (.svg, .png) selects the format. The file is written
// completely or not at all.
absl::Status WriteOverview(const skel::Rig& rig, const std::string& title,
                           const std::vector<OverviewGroup>& groups, const std::string& path);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_OVERVIEW_H_
