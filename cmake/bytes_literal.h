// For the tools that make data while the program is built: bytes as C++ source.
#ifndef POSEWIRE_CMAKE_BYTES_LITERAL_H_
#define POSEWIRE_CMAKE_BYTES_LITERAL_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace posewire {

// A string literal of these bytes, over many lines.
inline std::string BytesLiteral(absl::string_view bytes) {
  constexpr size_t kLineBytes = 96;
  // Three digits for each byte that is not plain, so that none runs into the next.
  std::string out = "\"";
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && i % kLineBytes == 0) out += "\"\n\"";
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?') {
      out += bytes[i];
    } else {
      out += '\\';
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((c >> shift) & 7));
    }
  }
  return out + "\"";
}

}  // namespace posewire

#endif  // POSEWIRE_CMAKE_BYTES_LITERAL_H_
