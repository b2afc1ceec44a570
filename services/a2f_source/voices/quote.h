// Quotes values from outside in errors.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_VOICES_QUOTE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_VOICES_QUOTE_H_

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace posewire::a2f_source {

// Returns the value quoted, escaped, and cut after 40 bytes.
inline std::string Quote(absl::string_view value) {
  constexpr size_t kMost = 40;
  return absl::StrCat("\"", absl::CHexEscape(value.substr(0, kMost)),
                      value.size() > kMost ? "...\"" : "\"");
}

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_VOICES_QUOTE_H_
