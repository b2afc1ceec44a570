// A sheet: one page for judging a motion.
//
// The upper part shows the body at evenly spaced instants from front and side, with the wrists'
// paths since the previous instant (at most a second), and close-ups of hands and face if they
// move. The lower part shows, on a common time axis with the instants marked, the voice, the face
// shapes that move most and the joints that rotate most. Left is blue, right is orange.
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
  const Waveform* voice = nullptr;  // null: none; must stay valid during the call
};

// Returns the encoded picture. INVALID_ARGUMENT for options out of range; otherwise the source's
// errors.
absl::StatusOr<std::string> DrawSheet(const SheetInput& input, PoseSource source,
                                      ImageFormat format, const SheetOptions& options = {});

// Draws and writes to `path`; its extension (.svg, .png) selects the format. The file is written
// completely or not at all. Errors as above; UNAVAILABLE with the path if it cannot be written.
absl::Status WriteSheet(const SheetInput& input, PoseSource source, const std::string& path,
                        const SheetOptions& options = {});

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_SHEET_H_
