// `renderer_sink render`: draws a clip file as a film or a picture.
#include <memory>

#include "services/renderer_sink/commands.h"
#include "services/renderer_sink/render/render_clip.h"
#include "services/renderer_sink/render/scene_cast.h"

namespace posewire::renderer_sink {
namespace {

// Each field is a flag, an environment variable and a config key; see --help.
struct RenderCommand : service::Command {
  explicit RenderCommand(const DrawSettings& draw)
      : Command("render", "Draws a clip file as a film or a picture.",
                {"renderer_sink render take.animdata take.mp4"}),
        draw(draw) {
    logs_settings = false;
  }

  RenderJob job;
  const DrawSettings& draw;

  void Declare(service::Flags& flags) override;
  int Run(service::Process& process, const service::Logger& log) override;
};

void RenderCommand::Declare(service::Flags& flags) {
  flags.OnlyFor({name});
  flags.AddPositional(name, "IN", &job.in, "Clip: .animdata, or .jsonl.", {.required = true});
  flags.AddPositional(name, "OUT", &job.out, "Film: .mp4 (with the voice) or .gif; picture: .png.",
                      {.required = true, .check = CheckPicture});
  flags.Group("How to draw");
  flags.Add(
      "with", &job.with,
      "Another clip in the same picture, such as a recording of another avatar: its file, and "
      "where it is as the first avatar sees it, metres to its left and in front of it and "
      "degrees to the left. May be said for several.",
      {.value_name = "FILE[@X,Z[,DEGREES]]",
       .check = [](absl::string_view text) { return ParsePlacedClip(text).status(); }});
  flags.Add("sheet", &job.sheet, "One PNG with many instants, from the first to the last.");
  flags.Add("instants", &job.instants, "Pictures on a sheet.", {.min = 1, .max = 96});
  flags.Add("at", &job.at_s, "Time of a single PNG; below 0: the middle.", {.value_name = "S"});
}

int RenderCommand::Run(service::Process& process, const service::Logger& log) {
  return RunRender(job, draw, process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakeRender(const DrawSettings& draw) {
  return std::make_unique<RenderCommand>(draw);
}

}  // namespace posewire::renderer_sink
