#include "services/renderer_sink/core/hex_color.h"

#include <cstdint>

#include "absl/strings/numbers.h"

namespace posewire::renderer_sink {

std::optional<skel::Vec3> ParseHexColor(absl::string_view text) {
  uint32_t rgb = 0;
  if (text.size() != 7 || text[0] != '#' || !absl::SimpleHexAtoi(text.substr(1), &rgb)) {
    return std::nullopt;
  }
  const auto part = [rgb](int shift) { return static_cast<float>(rgb >> shift & 0xff) / 255.0f; };
  return skel::Vec3{part(16), part(8), part(0)};
}

}  // namespace posewire::renderer_sink
