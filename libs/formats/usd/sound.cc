#include "libs/formats/usd/sound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "libs/formats/usd/stage_scene.h"

namespace posewire::usd {
namespace {

double NumberOr(const Stage& stage, int prim, absl::string_view name, double otherwise) {
  const std::vector<double> numbers = stage.Numbers(prim, name);
  return numbers.size() == 1 && std::isfinite(numbers[0]) ? numbers[0] : otherwise;
}

std::optional<Sound> FirstOf(const Stage& stage, absl::FunctionRef<bool(int prim)> counts) {
  for (size_t i = 0; i < stage.nodes().size(); ++i) {
    const Stage::Node& node = stage.nodes()[i];
    if (!node.defined || node.prim->type != "SpatialAudio") continue;
    const auto prim = static_cast<int>(i);
    if (!counts(prim)) continue;
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

}  // namespace

std::optional<Sound> FindSound(const Stage& stage) {
  return FirstOf(stage, [](int) { return true; });
}

std::optional<Sound> FindSoundBelow(const Stage& stage, int above) {
  return FirstOf(stage, [&](int prim) { return IsBelow(stage, prim, above); });
}

std::optional<Sound> FindSoundOutside(const Stage& stage, const std::vector<int>& above) {
  return FirstOf(stage, [&](int prim) {
    return std::none_of(above.begin(), above.end(),
                        [&](int root) { return IsBelow(stage, prim, root); });
  });
}

}  // namespace posewire::usd
