#include "libs/formats/usd/sound.h"

#include <cmath>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace posewire::usd {
namespace {

double NumberOr(const Stage& stage, int prim, absl::string_view name, double otherwise) {
  const std::vector<double> numbers = stage.Numbers(prim, name);
  return numbers.size() == 1 && std::isfinite(numbers[0]) ? numbers[0] : otherwise;
}

}  // namespace

std::optional<Sound> FindSound(const Stage& stage) {
  for (size_t i = 0; i < stage.nodes().size(); ++i) {
    const Stage::Node& node = stage.nodes()[i];
    if (!node.defined || node.prim->type != "SpatialAudio") continue;
    const auto prim = static_cast<int>(i);
    const std::string file = stage.Asset(prim, "filePath");
    if (!absl::EndsWithIgnoreCase(file, ".wav")) continue;
    Sound out;
    out.file = file;
    out.start_code = NumberOr(stage, prim, "startTime", 0);
    out.skipped_s = NumberOr(stage, prim, "mediaOffset", 0);
    const std::string mode = stage.Text(prim, "playbackMode");
    const double end = NumberOr(stage, prim, "endTime", 0);
    if (mode == "onceFromStartToEnd" && end > out.start_code) out.end_code = end;
    return out;
  }
  return std::nullopt;
}

}  // namespace posewire::usd
