#include "libs/vmc/expressions.h"

#include <algorithm>

#include "libs/skel/arkit_mouth.h"
#include "libs/vmc/text.h"

namespace posewire::vmc {
namespace {

constexpr std::array<absl::string_view, kPresets> kVrm0 = {
    "Neutral", "Joy",     "Angry",  "Sorrow",   "Fun",      "Surprised",
    "A",       "I",       "U",      "E",        "O",        "Blink",
    "Blink_L", "Blink_R", "LookUp", "LookDown", "LookLeft", "LookRight"};
constexpr std::array<absl::string_view, kPresets> kVrm1 = {
    "neutral",   "happy",      "angry",  "sad",      "relaxed",  "surprised",
    "aa",        "ih",         "ou",     "ee",       "oh",       "blink",
    "blinkLeft", "blinkRight", "lookUp", "lookDown", "lookLeft", "lookRight"};

// Indices in ArkitNames.
enum Shape : uint8_t {
  kEyeBlinkLeft = 0,
  kEyeLookDownLeft = 1,
  kEyeLookInLeft = 2,
  kEyeLookOutLeft = 3,
  kEyeLookUpLeft = 4,
  kEyeBlinkRight = 7,
  kEyeLookDownRight = 8,
  kEyeLookInRight = 9,
  kEyeLookOutRight = 10,
  kEyeLookUpRight = 11,
  kMouthFunnel = 19,
  kMouthPucker = 20,
  kMouthSmileLeft = 23,
  kMouthSmileRight = 24,
  kMouthFrownLeft = 25,
  kMouthFrownRight = 26,
  kMouthStretchLeft = 29,
  kMouthStretchRight = 30,
  kBrowDownLeft = 41,
  kBrowDownRight = 42,
};

// The shapes similar to a preset: one, or one for each side. `back`: the preset is inferred from
// them.
struct Likeness {
  int first, second;
  Preset preset;
  bool back;
};
constexpr Likeness kLikenesses[] = {
    {kMouthSmileLeft, kMouthSmileRight, Preset::kHappy, true},
    {kBrowDownLeft, kBrowDownRight, Preset::kAngry, true},
    {kMouthFrownLeft, kMouthFrownRight, Preset::kSad, true},
    {kJawOpen, kJawOpen, Preset::kAa, true},
    {kMouthStretchLeft, kMouthStretchRight, Preset::kIh, true},
    {kMouthPucker, kMouthPucker, Preset::kOu, true},
    {kMouthSmileLeft, kMouthSmileRight, Preset::kEe, false},
    {kMouthFunnel, kMouthFunnel, Preset::kOh, true},
    {kEyeBlinkLeft, kEyeBlinkRight, Preset::kBlink, false},
    {kEyeBlinkLeft, kEyeBlinkLeft, Preset::kBlinkLeft, true},
    {kEyeBlinkRight, kEyeBlinkRight, Preset::kBlinkRight, true},
    {kEyeLookUpLeft, kEyeLookUpRight, Preset::kLookUp, true},
    {kEyeLookDownLeft, kEyeLookDownRight, Preset::kLookDown, true},
    {kEyeLookOutLeft, kEyeLookInRight, Preset::kLookLeft, true},
    {kEyeLookInLeft, kEyeLookOutRight, Preset::kLookRight, true},
};

size_t At(Preset preset) { return static_cast<size_t>(preset); }
size_t At(int shape) { return static_cast<size_t>(shape); }

}  // namespace

absl::string_view Vrm0Name(Preset preset) { return kVrm0[At(preset)]; }
absl::string_view Vrm1Name(Preset preset) { return kVrm1[At(preset)]; }

ExpressionId FindExpression(absl::string_view name) {
  ExpressionId id;
  id.arkit = FindIgnoringCase(ArkitNames(), name);
  if (id.arkit >= 0) return id;
  id.preset = FindIgnoringCase(kVrm0, name);
  if (id.preset < 0) id.preset = FindIgnoringCase(kVrm1, name);
  return id;
}

ArkitWeights ArkitFromPresets(const PresetWeights& presets) {
  ArkitWeights out{};
  const auto add = [&out](int shape, float w) {
    out[At(shape)] = std::min(out[At(shape)] + w, 1.0f);
  };
  for (const Likeness& likeness : kLikenesses) {
    const float w = std::clamp(presets[At(likeness.preset)], 0.0f, 1.0f);
    add(likeness.first, w);
    if (likeness.second != likeness.first) add(likeness.second, w);
  }
  return out;
}

PresetWeights PresetsFromArkit(const ArkitWeights& arkit) {
  PresetWeights out{};
  for (const Likeness& likeness : kLikenesses) {
    if (!likeness.back) continue;
    out[At(likeness.preset)] = std::min(arkit[At(likeness.first)], arkit[At(likeness.second)]);
  }
  // An open mouth, not an open jaw with closed lips.
  float& aa = out[At(Preset::kAa)];
  aa = std::max(0.0f, skel::AceJawOpen(aa, arkit[At(kMouthClose)]));
  return out;
}

}  // namespace posewire::vmc
