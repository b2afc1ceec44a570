// What a user writes of a picture's background and of a character's choices.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RENDER_BACKGROUND_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RENDER_BACKGROUND_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/render/painter.h"

namespace posewire::renderer_sink {

// "#rrggbb", "none", or the path of a PNG, JPEG or WebP. INVALID_ARGUMENT says what it is instead;
// NOT_FOUND when there is no such file.
absl::StatusOr<render::Background> ReadBackground(const std::string& text);

// "hair=long,skin=dark"; "" chooses nothing. INVALID_ARGUMENT as of Painter::Choose.
absl::Status ChooseLook(absl::string_view text, render::Painter& painter);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RENDER_BACKGROUND_H_
