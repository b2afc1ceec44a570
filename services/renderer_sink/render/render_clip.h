// Draws a clip as a film or picture, without display, browser or server.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RENDER_RENDER_CLIP_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RENDER_RENDER_CLIP_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/renderer_sink/draw/draw_settings.h"

namespace posewire::renderer_sink {

struct RenderJob {
  std::string in = {};  // empty: no clip, but every face shape at 1, on one sheet
  std::string out = {};
  std::vector<std::string> with = {};  // more clips in the picture: see SceneCast
  bool sheet = false;                  // one PNG with many instants
  int instants = 12;                   // on a sheet
  double at_s = -1;                    // for a single PNG; below 0: the middle
};

// INVALID_ARGUMENT for a file name that is neither a film nor a picture.
absl::Status CheckPicture(absl::string_view path);

// Returns the exit code. Prints the names of written files on standard output; on a terminal, a bar
// on standard error shows the progress. If stopped, leaves no partial film.
int RunRender(const RenderJob& job, const DrawSettings& draw, const service::Process& process,
              const service::Logger& log);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RENDER_RENDER_CLIP_H_
