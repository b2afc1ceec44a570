// What a user writes of a picture's background.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RENDER_BACKGROUND_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RENDER_BACKGROUND_H_

#include <string>

#include "absl/status/statusor.h"
#include "libs/render/painter.h"

namespace posewire::renderer_sink {

// "#rrggbb", "none", or the path of a PNG, JPEG or WebP. INVALID_ARGUMENT says what it is instead;
// NOT_FOUND when there is no such file.
absl::StatusOr<render::Background> ReadBackground(const std::string& text);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RENDER_BACKGROUND_H_
