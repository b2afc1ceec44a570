// Expressions: the 52 ARKit names ("Perfect Sync") and the presets of VRM 0 and VRM 1, and how the
// ones stand for the others.
#ifndef POSEWIRE_LIBS_VMC_EXPRESSIONS_H_
#define POSEWIRE_LIBS_VMC_EXPRESSIONS_H_

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::vmc {

inline constexpr int kArkitShapes = 52;

// In Apple's order, upper camel case as on the wire: "EyeBlinkLeft".
absl::Span<const absl::string_view> ArkitNames();
inline constexpr int kJawOpen = 17, kMouthClose = 18;

enum class Preset : uint8_t {
  kNeutral,
  kHappy,
  kAngry,
  kSad,
  kRelaxed,
  kSurprised,
  kAa,
  kIh,
  kOu,
  kEe,
  kOh,
  kBlink,
  kBlinkLeft,
  kBlinkRight,
  kLookUp,
  kLookDown,
  kLookLeft,
  kLookRight,
};
inline constexpr int kPresets = 18;

// "Joy" and "happy". VRM 0 has no preset for surprise; its models have a clip "Surprised".
absl::string_view Vrm0Name(Preset preset);
absl::string_view Vrm1Name(Preset preset);

// What a name of /VMC/Ext/Blend/Val stands for: neither (both -1), an ARKit shape or a preset.
// Ignores case.
struct ExpressionId {
  int arkit = -1;
  int preset = -1;
};
ExpressionId FindExpression(absl::string_view name);

using ArkitWeights = std::array<float, kArkitShapes>;
using PresetWeights = std::array<float, kPresets>;

// The ARKit shapes that presets look most like: weights add up to at most 1. Only the blinks mean
// the same on both sides, the rest is a likeness; neutral, relaxed and surprised have none.
ArkitWeights ArkitFromPresets(const PresetWeights& presets);
// And back, for avatars that know presets only: the blink of each eye, vowels from the mouth's
// shapes, moods from mouth and brows, the gaze where both eyes look. What cannot be told is 0;
// kBlink stays 0 beside the blinks of the two eyes. kAa is how far the lips are apart: what
// mouthClose takes from jawOpen.
PresetWeights PresetsFromArkit(const ArkitWeights& arkit);

// Between ARKit's mouthClose, which Perfect Sync has, and ACE's, which poses have; `k` is how much
// of the jaw is in ACE's (libs/skel/arkit_mouth.h).
void ToAceMouth(float k, ArkitWeights& weights);
void FromAceMouth(float k, ArkitWeights& weights);

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_EXPRESSIONS_H_
