#include "services/renderer_sink/draw/background.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/files/read.h"
#include "libs/image/image.h"
#include "services/renderer_sink/core/hex_color.h"

namespace posewire::renderer_sink {

absl::StatusOr<render::Background> ReadBackground(const std::string& text) {
  render::Background out;
  if (text == "none") {
    out.none = true;
    return out;
  }
  if (!text.empty() && text[0] == '#') {
    const auto color = ParseHexColor(text);
    if (!color) {
      return absl::InvalidArgumentError(
          absl::StrCat("background \"", text, "\" is no colour such as #dbe0e6"));
    }
    out.color = *color;
    return out;
  }
  const auto bytes = files::ReadWhole(text, kMostBackground_bytes);
  if (!bytes.ok()) {
    return absl::Status(bytes.status().code(),
                        absl::StrCat("the background is neither #rrggbb nor none, and no picture: ",
                                     bytes.status().message()));
  }
  auto picture = image::Decode(*bytes);
  if (!picture.ok()) {
    return absl::Status(picture.status().code(),
                        absl::StrCat("background ", text, ": ", picture.status().message()));
  }
  out.picture = std::make_shared<const image::Image>(*std::move(picture));
  return out;
}

}  // namespace posewire::renderer_sink
