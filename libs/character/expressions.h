// Defines VRM's expressions by ARKit's shapes, for characters that have no finer ones.
#ifndef POSEWIRE_LIBS_CHARACTER_EXPRESSIONS_H_
#define POSEWIRE_LIBS_CHARACTER_EXPRESSIONS_H_

#include <array>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::character {

// Value: of up to four shapes, (a + b + ...) * gain, at most 1, minus the rounding of the lips.
struct Expression {
  absl::string_view name;      // lower case, VRM 1
  absl::string_view old_name;  // VRM 0
  std::array<absl::string_view, 2> shapes;
  float gain = 1;
  bool open = false;  // reduced as mouthPucker or mouthFunnel round the lips
};

absl::Span<const Expression> Expressions();
// Returns the index of an expression by either name, ignoring case; -1 for others.
int FindExpression(absl::string_view preset);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_EXPRESSIONS_H_
