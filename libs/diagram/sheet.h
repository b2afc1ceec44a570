// A sheet: one page to judge a motion by.
//
// Above, the body at evenly spaced instants from front and side, with the wrists' paths since the
// previous instant (at most a second); close-ups of hands and face where they move. Below, on a
// common time axis with the instants marked, the voice, the face shapes that move most and the
// joints that sweep most. Left is blue, right is orange.
#ifndef POSEWIRE_LIBS_DIAGRAM_SHEET_H_
#define POSEWIRE_LIBS_DIAGRAM_SHEET_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/diagram/canvas.h"
#include "libs/diagram/motion.h"
#include "libs/diagram/view.h"
#include "libs/diagram/waveform.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::diagram {

struct SheetOptions {
  std::string title = {};
  std::string subtitle = {};  // facts about the clip, one line
  int instants = 12;          // 1 to 48
  std::vector<View> views = {View::kFront, View::kSide};
  int max_shapes = 16;  // lanes; a left and right pair shares one
  int max_joints = 8;
  double pixels_per_point = 1.5;  // of a PNG
};

struct SheetInput {
  std::shared_ptr<const skel::Rig> rig;
  double start_s = 0, end_s = 0;
  const Waveform* voice = nullptr;  // null: none; borrowed for the call
};

// The encoded picture. INVALID_ARGUMENT for options out of range; else the source's errors.
absl::StatusOr<std::string> DrawSheet(const SheetInput& input, PoseSource source,
                                      ImageFormat format, const SheetOptions& options = {});

// Draws and writes to `path`; its extension (.svg, .png) chooses the format. The file appears whole
// or not at all. Errors as above; UNAVAILABLE with the path if it cannot be written.
absl::Status WriteSheet(const SheetInput& input, PoseSource source, const std::string& path,
                        const SheetOptions& options = {});

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_SHEET_H_
