#include "libs/vmc/expressions.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "libs/shapes/shape_set.h"
#include "libs/vmc/text.h"

namespace posewire::vmc {
namespace {

const shapes::ShapeSet& Vrm0() {
  static const shapes::ShapeSet& set = *shapes::FindSet("vrm0");
  return set;
}
const shapes::ShapeSet& Vrm1() {
  static const shapes::ShapeSet& set = *shapes::FindSet("vrm1");
  return set;
}

// Returns the index of a shape by its first name, ignoring case only; -1 if there is none.
int FindPreset(const shapes::ShapeSet& set, absl::string_view name) {
  for (int i = 0; i < set.size(); ++i) {
    if (absl::EqualsIgnoreCase(set.shape(i).name, name)) return i;
  }
  return -1;
}

}  // namespace

absl::string_view Vrm0Name(Preset preset) { return Vrm0().shape(static_cast<int>(preset)).name; }
absl::string_view Vrm1Name(Preset preset) { return Vrm1().shape(static_cast<int>(preset)).name; }

ExpressionId FindExpression(absl::string_view name) {
  ExpressionId id;
  id.arkit = FindIgnoringCase(ArkitNames(), name);
  if (id.arkit >= 0) return id;
  id.preset = FindPreset(Vrm0(), name);
  if (id.preset < 0) id.preset = FindPreset(Vrm1(), name);
  return id;
}

ArkitWeights ArkitFromPresets(const PresetWeights& presets) {
  shapes::TargetWeights face;
  Vrm1().ToArkit(presets, face);
  ArkitWeights out;
  std::copy_n(face.begin(), out.size(), out.begin());
  return out;
}

PresetWeights PresetsFromArkit(const ArkitWeights& arkit) {
  shapes::TargetWeights face{};
  std::copy(arkit.begin(), arkit.end(), face.begin());
  PresetWeights out;
  Vrm1().FromArkit(face, absl::MakeSpan(out));
  return out;
}

}  // namespace posewire::vmc
