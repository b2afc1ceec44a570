// Text of the protocol: case-insensitive comparison, and the check for UTF-8. Internal to libs/vmc.
#ifndef POSEWIRE_LIBS_VMC_TEXT_H_
#define POSEWIRE_LIBS_VMC_TEXT_H_

#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::vmc {

// Returns whether `text` is UTF-8 as defined by RFC 3629: no overlong forms, no surrogates, at most
// U+10FFFF.
bool IsUtf8(absl::string_view text);

// Returns the index of a name in a list, ignoring the case of ASCII letters; -1 if it is not in the
// list.
inline int FindIgnoringCase(absl::Span<const absl::string_view> names, absl::string_view name) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (absl::EqualsIgnoreCase(names[i], name)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_TEXT_H_
