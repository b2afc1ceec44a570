// What VRM's few expressions are of ARKit's shapes, for characters that have no finer ones.
#ifndef POSEWIRE_LIBS_CHARACTER_EXPRESSIONS_H_
#define POSEWIRE_LIBS_CHARACTER_EXPRESSIONS_H_

#include <array>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::character {

// Value: of up to four shapes, (a + b + ...) * gain, at most 1, less what rounds the lips.
struct Expression {
  absl::string_view name;      // lower case, as VRM 1 says it
  absl::string_view old_name;  // as VRM 0 does
  std::array<absl::string_view, 2> shapes;
  float gain = 1;
  bool open = false;  // less as mouthPucker or mouthFunnel round the lips
};

absl::Span<const Expression> Expressions();
// Its place among them by either name, ignoring case; -1 for others.
int FindExpression(absl::string_view preset);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_EXPRESSIONS_H_
