// `renderer_sink faces`: draws every face shape at 1, on one sheet.
#include <memory>
#include <string>

#include "services/renderer_sink/commands.h"
#include "services/renderer_sink/render/render_clip.h"

namespace posewire::renderer_sink {
namespace {

struct FacesCommand : service::Command {
  explicit FacesCommand(const DrawSettings& draw)
      : Command("faces", "Draws the avatar with every face shape at 1, on one sheet.", {}),
        draw(draw) {
    logs_settings = false;
  }

  std::string out;  // OUT
  const DrawSettings& draw;

  void Declare(service::Flags& flags) override;
  int Run(service::Process& process, const service::Logger& log) override;
};

void FacesCommand::Declare(service::Flags& flags) {
  flags.AddPositional(name, "OUT", &out, "Picture: .png.",
                      {.required = true, .check = CheckPicture});
}

int FacesCommand::Run(service::Process& process, const service::Logger& log) {
  DrawSettings face = draw;
  face.camera = "face";
  return RunRender({.out = out, .sheet = true}, face, process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakeFaces(const DrawSettings& draw) {
  return std::make_unique<FacesCommand>(draw);
}

}  // namespace posewire::renderer_sink
