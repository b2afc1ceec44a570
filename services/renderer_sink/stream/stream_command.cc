// `renderer_sink stream`: draws what it pulls as a live film with the voice.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "libs/timecode/frame_rate.h"
#include "services/renderer_sink/commands.h"
#include "services/renderer_sink/pull/run_pull.h"
#include "services/renderer_sink/stream/live_film.h"

namespace posewire::renderer_sink {
namespace {

// Each field is a flag, an environment variable and a config key; see --help. The film goes to
// pull.to.
struct StreamCommand : service::Command {
  StreamCommand(const PullSettings& pull, const DrawSettings& draw)
      : Command("stream", "Draws what it pulls as a live film with the voice (needs ffmpeg).",
                {"renderer_sink stream --to rtmp://127.0.0.1/live/demo --stream-id s1",
                 "renderer_sink stream --to rtp://127.0.0.1:5004 --sdp demo.sdp --stream-id s1",
                 "renderer_sink stream --to take.mp4 --stream-id s1 --duration 10"}),
        pull(pull),
        draw(draw) {}

  std::string sdp;
  double delay_ms = 100;
  std::string detail = "auto";
  std::shared_ptr<FilmCounts> counts = std::make_shared<FilmCounts>();
  const PullSettings& pull;
  const DrawSettings& draw;

  void Declare(service::Flags& flags) override;
  int Run(service::Process& process, const service::Logger& log) override;

 private:
  // INVALID_ARGUMENT for an invalid target.
  absl::StatusOr<LiveFilmOptions> Film(const service::Logger& log) const;
  // Whether all avatars are shown.
  bool all() const {
    return (draw.camera == "all" || draw.camera == "shot") && !pull.pushed() &&
           pull.target_id.empty() && pull.request_id.empty();
  }
};

void StreamCommand::Declare(service::Flags& flags) {
  flags.OnlyFor({name});
  flags.Group("How to stream");
  flags.Add("sdp", &sdp, "SDP file to write; players open it to receive what is sent to rtp://.",
            {.value_name = "FILE"});
  flags.Add("delay-ms", &delay_ms, "Delay of the film, within which late frames are still drawn.",
            {.min = 0, .max = 5000});
  flags.Add("detail", &detail,
            "auto: leaves out subdivision where it is too small to be seen, and when pictures take "
            "longer than a frame period, first subdivision and then offsets, until there is time "
            "again. full: all of what was asked for, always.",
            {.choices = {"auto", "full"}});
  flags.AddCheck([this, &flags]() -> absl::Status {
    if (flags.command() != name) return absl::OkStatus();
    if (pull.to.size() != 1) {
      return absl::InvalidArgumentError(
          "--to: one of rtp://HOST:PORT, rtmp://..., srt://... or FILE.mp4 is needed");
    }
    const auto target = ParseFilmTarget(pull.to.front());
    if (!target.ok()) return target.status();
    if (sdp.empty() || target->kind == FilmTarget::kRtp) return absl::OkStatus();
    return absl::InvalidArgumentError("--sdp: can be used only with --to rtp://");
  });
}

int StreamCommand::Run(service::Process& process, const service::Logger& log) {
  PullRun run{.live = true};
  run.options = pull.Pull(log);
  run.options.contributions = !draw.offsets.empty();
  run.metrics = [counts = counts] { return counts->Metrics(); };
  const auto make = [&](const std::string& first) -> absl::StatusOr<std::unique_ptr<Cast>> {
    auto film = Film(log);
    if (!film.ok()) return film.status();
    film->stopped = [&process] { return process.StopRequested(); };
    film->say = [](const std::string& line) { PrintLine(stdout, line); };
    if (!first.empty()) film->characters.who = draw.Avatars().Of(pull.stream_id(), first);
    return LiveFilm::Create(*std::move(film), log);
  };
  run.make = [&]() -> absl::StatusOr<std::unique_ptr<Consumer>> {
    auto film = make(pull.target_id);
    if (!film.ok()) return film.status();
    return OnlyMember::Of(*std::move(film), pull.target_id);
  };
  if (all()) run.make_cast = make;
  return RunPull(pull, run, process, log);
}

absl::StatusOr<LiveFilmOptions> StreamCommand::Film(const service::Logger& log) const {
  const auto target = ParseFilmTarget(pull.to.front());
  if (!target.ok()) return target.status();
  LiveFilmOptions out;
  out.target = *target;
  out.delay_s = delay_ms / 1000;
  out.format.sdp = sdp;
  using View = LiveFilmOptions::View;
  out.view = draw.camera == "shot" ? View::kShot : draw.camera == "all" ? View::kAll : View::kOne;
  out.stream_id = pull.stream_id();
  out.adapts = detail == "auto";
  out.counts = counts;
  out.offsets = draw.offsets;
  out.offsets_bytes = draw.offsets_bytes();
  out.offsets_cache = draw.OffsetsCache(log);
  if (!draw.size.empty()) {
    const auto size = ParsePictureSize(draw.size);
    if (!size.ok()) return size.status();
    out.format.width = size->width & ~1;
    out.format.height = size->height & ~1;
  }
  if (!draw.fps.empty()) {
    const auto rate = timecode::ParseFrameRate(draw.fps);
    if (!rate.ok()) return rate.status();
    out.format.rate = *rate;
  }
  out.characters = draw.Characters(pull.stream_id());
  out.characters.width = out.format.width;
  out.characters.height = out.format.height;
  out.characters.edges = render::Edges::kQuick;
  out.characters.one_rig = true;
  return out;
}

}  // namespace

std::unique_ptr<service::Command> MakeStream(const PullSettings& pull, const DrawSettings& draw) {
  return std::make_unique<StreamCommand>(pull, draw);
}

}  // namespace posewire::renderer_sink
