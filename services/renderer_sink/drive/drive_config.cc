#include "services/renderer_sink/drive/drive_config.h"

namespace posewire::renderer_sink {

void DriveConfig::Declare(service::Flags& flags) {
  flags.OnlyFor({"livelink", "vmc"});
  flags.Group("Driving other programs");
  flags.Add("send-hz", &send_hz, "Frames a second that are sent at most.", {.min = 1, .max = 240});
  flags.Add("mouth-close-jaw", &mouth_close_jaw,
            "How much of jawOpen the stream's mouthClose holds; 0 for ARKit's own.",
            {.min = 0, .max = 1});
}

}  // namespace posewire::renderer_sink
