// The settings of `renderer_sink stream`.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_STREAM_STREAM_COMMAND_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_STREAM_STREAM_COMMAND_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/service/flags/flags.h"
#include "services/renderer_sink/render/render_clip.h"
#include "services/renderer_sink/stream/live_film.h"

namespace posewire::renderer_sink {

// Camera, size, rate, background and look are those of RenderConfig, and --to is shared with vmc.
struct StreamConfig {
  std::string sdp;
  double delay_ms = 100;

  // The command "stream" and its flags; `to` is what --to was given.
  void Declare(service::Flags& flags, const std::vector<std::string>& to);
  // INVALID_ARGUMENT for a place that is none.
  absl::StatusOr<LiveFilmOptions> Film(const std::string& to, CastOptions cast,
                                       const RenderConfig& render) const;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_STREAM_COMMAND_H_
