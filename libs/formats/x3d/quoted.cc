#include "libs/formats/x3d/quoted.h"

#include "absl/strings/ascii.h"

namespace posewire::x3d {

std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::vector<std::string> Unquoted(absl::string_view list) {
  std::vector<std::string> out;
  const absl::string_view text = absl::StripAsciiWhitespace(list);
  if (text.empty()) return out;
  if (text[0] != '"') return {std::string(text)};
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      inside = !inside;
      if (inside) out.emplace_back();
    } else if (inside) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      out.back() += text[i];
    }
  }
  return out;
}

}  // namespace posewire::x3d
