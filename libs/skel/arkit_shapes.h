// The 52 face shapes of Apple's ARKit, in Apple's order. VMC's "Perfect Sync" and Live Link Face
// send them under these names.
#ifndef POSEWIRE_LIBS_SKEL_ARKIT_SHAPES_H_
#define POSEWIRE_LIBS_SKEL_ARKIT_SHAPES_H_

#include <array>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::skel {

inline constexpr int kArkitShapes = 52;

// Upper camel case, as on the wire: "EyeBlinkLeft".
absl::Span<const absl::string_view> ArkitNames();

// Indices in ArkitNames of the shapes that programs convert.
inline constexpr int kArkitEyeLookDownLeft = 1, kArkitEyeLookInLeft = 2, kArkitEyeLookOutLeft = 3,
                     kArkitEyeLookUpLeft = 4, kArkitEyeLookDownRight = 8, kArkitEyeLookInRight = 9,
                     kArkitEyeLookOutRight = 10, kArkitEyeLookUpRight = 11, kArkitJawOpen = 17,
                     kArkitMouthClose = 18;

using ArkitWeights = std::array<float, kArkitShapes>;

// Convert between Apple's mouthClose and ACE's, used in poses; `k` is how much of the jaw ACE's
// includes (libs/skel/arkit_mouth.h).
void ToAceMouth(float k, ArkitWeights& weights);
void FromAceMouth(float k, ArkitWeights& weights);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_ARKIT_SHAPES_H_
