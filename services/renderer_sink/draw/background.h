// Parses a user's choice of background.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_BACKGROUND_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_BACKGROUND_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "libs/render/painter.h"

namespace posewire::renderer_sink {

// Maximum size of the picture's file.
inline constexpr uint64_t kMostBackground_bytes = 64 << 20;

// Parses "#rrggbb", "none", or the path of a PNG, JPEG or WebP. INVALID_ARGUMENT for other files,
// with what they are; for a file that cannot be read, the error of files::ReadWhole.
absl::StatusOr<render::Background> ReadBackground(const std::string& text);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_BACKGROUND_H_
