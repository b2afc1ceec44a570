// The plot: curves of a clip, its voice with spectrogram, and the paths of its joints, on one page.
#ifndef POSEWIRE_LIBS_DIAGRAM_PLOT_H_
#define POSEWIRE_LIBS_DIAGRAM_PLOT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/diagram/canvas.h"
#include "libs/diagram/motion.h"
#include "libs/diagram/spectrogram.h"
#include "libs/diagram/waveform.h"
#include "libs/skel/rig.h"

namespace posewire::diagram {

struct PlotOptions {
  std::string title = {}, subtitle = {};
  int instants = 6;  // 2 to 48; marked on the curves and on the paths
  // Shapes, joints, "spine", "neck and head", "position"; empty: the largest movers.
  std::vector<std::string> tracks = {};
  int max_shapes = 16, max_joints = 8;
  double pixels_per_point = 1.5;  // of a PNG
};

struct PlotInput {
  std::shared_ptr<const skel::Rig> rig;
  double start_s = 0, end_s = 0;
  // Null: none; must stay valid during the call.
  const Waveform* voice = nullptr;
  const Spectrogram* spectrogram = nullptr;  // of the same span
};

// Returns the encoded picture; parts that the clip does not have are omitted. An SVG's description
// names the lanes and the joints. INVALID_ARGUMENT for options out of range and for tracks that the
// clip does not have, listing the valid ones; otherwise the source's errors.
absl::StatusOr<std::string> DrawPlot(const PlotInput& input, PoseSource source, ImageFormat format,
                                     const PlotOptions& options = {});
// The same with another clip's curves behind, as broad pale bands: where the clips agree, each line
// is in the middle of its band. Voice and paths are those of the first.
absl::StatusOr<std::string> DrawPlotOver(const PlotInput& input, PoseSource source,
                                         PoseSource behind, ImageFormat format,
                                         const PlotOptions& options = {});

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_PLOT_H_
