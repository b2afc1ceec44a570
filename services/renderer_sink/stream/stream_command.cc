#include "services/renderer_sink/stream/stream_command.h"

namespace posewire::renderer_sink {

void StreamConfig::Declare(service::Flags& flags, const std::vector<std::string>& to) {
  flags.AddCommand("stream", "Draws what it pulls as a live film with the voice (needs ffmpeg).");
  flags.Group("How to stream");
  flags.Add("sdp", &sdp, "File to write that players open to get what goes to rtp://.",
            {.value_name = "FILE", .commands = {"stream"}});
  flags.Add("delay-ms", &delay_ms, "Room for frames that come late: longer makes it all later.",
            {.min = 0, .max = 5000, .commands = {"stream"}});
  flags.AddCheck([this, &flags, &to]() -> absl::Status {
    if (flags.command() != "stream") return absl::OkStatus();
    if (to.size() != 1) {
      return absl::InvalidArgumentError(
          "--to: one of rtp://HOST:PORT, rtmp://..., srt://... or FILE.mp4 is needed");
    }
    const auto target = ParseFilmTarget(to.front());
    if (!target.ok()) return target.status();
    if (sdp.empty() || target->kind == FilmTarget::kRtp) return absl::OkStatus();
    return absl::InvalidArgumentError("--sdp: is of use with --to rtp:// only");
  });
}

absl::StatusOr<LiveFilmOptions> StreamConfig::Film(const std::string& to, CastOptions cast,
                                                   const RenderConfig& render) const {
  const auto target = ParseFilmTarget(to);
  if (!target.ok()) return target.status();
  LiveFilmOptions out;
  out.target = *target;
  out.delay_s = delay_ms / 1000;
  out.format.sdp = sdp;
  out.offsets = render.offsets;
  out.offsets_bytes = static_cast<size_t>(render.offsets_mib) << 20;
  if (!render.size.empty()) {
    const auto size = ParsePictureSize(render.size);
    if (!size.ok()) return size.status();
    out.format.width = size->width & ~1;
    out.format.height = size->height & ~1;
  }
  if (!render.fps.empty()) {
    const auto rate = timecode::ParseFrameRate(render.fps);
    if (!rate.ok()) return rate.status();
    out.format.rate = *rate;
  }
  cast.width = out.format.width;
  cast.height = out.format.height;
  cast.edges = render::Edges::kQuick;
  cast.one_rig = true;
  out.cast = std::move(cast);
  return out;
}

}  // namespace posewire::renderer_sink
