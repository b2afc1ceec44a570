// Expressions: the 52 ARKit names ("Perfect Sync"), the presets of VRM 0 and VRM 1 (the tables
// vrm0.csv and vrm1.csv of data/shapes), and conversions between them.
#ifndef POSEWIRE_LIBS_VMC_EXPRESSIONS_H_
#define POSEWIRE_LIBS_VMC_EXPRESSIONS_H_

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "libs/skel/arkit_shapes.h"

namespace posewire::vmc {

using skel::ArkitNames;
using skel::ArkitWeights;
using skel::FromAceMouth;
using skel::kArkitShapes;
using skel::ToAceMouth;
inline constexpr int kJawOpen = skel::kArkitJawOpen, kMouthClose = skel::kArkitMouthClose;

// In the order of the tables.
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

// Return names such as "Joy" and "happy". VRM 0 has no preset for surprise; its models have a clip
// "Surprised".
absl::string_view Vrm0Name(Preset preset);
absl::string_view Vrm1Name(Preset preset);

// The meaning of a name in /VMC/Ext/Blend/Val: an ARKit shape, a preset, or neither (both -1).
// FindExpression ignores case.
struct ExpressionId {
  int arkit = -1;
  int preset = -1;
};
ExpressionId FindExpression(absl::string_view name);

using PresetWeights = std::array<float, kPresets>;

// Returns the ARKit shapes most similar to the presets; weights add up to at most 1. Only the
// blinks have the same meaning on both sides, the rest is an approximation; neutral, relaxed and
// surprised have no equivalent.
ArkitWeights ArkitFromPresets(const PresetWeights& presets);
// The reverse, for avatars that only know presets: the blink of each eye, vowels from the mouth's
// shapes, moods from mouth and brows, gaze from both eyes. Presets that cannot be inferred are 0;
// kBlink stays 0, since each eye has its own blink. kAa is how far the lips are apart: jawOpen
// minus mouthClose. Within 0..1.
PresetWeights PresetsFromArkit(const ArkitWeights& arkit);

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_EXPRESSIONS_H_
