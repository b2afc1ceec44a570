// Colours as users write them: "#dbe0e6".
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_HEX_COLOR_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_HEX_COLOR_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "libs/skel/math.h"

namespace posewire::renderer_sink {

// Returns red, green and blue of "#rrggbb", each 0 to 1; nothing for any other text.
std::optional<skel::Vec3> ParseHexColor(absl::string_view text);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_HEX_COLOR_H_
