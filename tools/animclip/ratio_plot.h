// Draws the compression ratio of each method for offsets against its error, in one picture.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_RATIO_PLOT_H_
#define POSEWIRE_TOOLS_ANIMCLIP_RATIO_PLOT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/diagram/canvas.h"

namespace posewire::animclip {

struct RatioMark {
  double ratio = 0, worst_mm = 0, mean_mm = 0;
};
// One method with several settings, connected by a line.
struct RatioLine {
  std::string name;
  diagram::Color color;
  bool dashed = false;
  std::vector<RatioMark> marks;
};

// Both axes are logarithmic; the worst distance above, the mean below. Errors: those of
// diagram::Render.
absl::StatusOr<std::string> DrawRatios(const std::string& title,
                                       const std::vector<RatioLine>& lines,
                                       diagram::ImageFormat format);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_RATIO_PLOT_H_
