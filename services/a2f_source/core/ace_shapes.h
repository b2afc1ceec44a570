// The 68 face shapes in ACE's order: ARKit's 52, and 16 of the tongue.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_ACE_SHAPES_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_ACE_SHAPES_H_

#include <array>
#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::a2f_source {

inline constexpr size_t kAceShapes = 68;
using AceWeights = std::array<float, kAceShapes>;

// Names begin with a capital letter: "EyeBlinkLeft" to "TongueNarrow".
absl::Span<const std::string> AceShapeNames();

// Returns the index of a shape, whose name may begin in upper or lower case; kAceShapes if there is
// no such shape.
size_t AceShapeAt(absl::string_view name);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_ACE_SHAPES_H_
