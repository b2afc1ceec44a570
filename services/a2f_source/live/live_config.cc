#include "services/a2f_source/live/live_config.h"

#include "libs/service/address.h"

namespace posewire::a2f_source {

void LiveConfig::Declare(service::Flags& flags) {
  flags.OnlyFor({"ifacialmocap", "livelink", "vmc"});
  flags.Group("Performers");
  flags.Add("host", &host, "Address to receive on; beyond loopback with --allow-plaintext.");
  flags.Add("port", &port,
            "Port that performers send to; 11111 for livelink, 39539 for vmc and 49983 for "
            "ifacialmocap unless given. 0: any free one.",
            {.value_name = "PORT", .check = service::CheckOptionalPort});
  flags.Add("dump", &dump, "Write all datagrams with their times to a capture.",
            {.value_name = "FILE"});
  flags.Add("replay", &replay, "Take datagrams from a capture, at --rate, instead of the network.",
            {.value_name = "FILE"});
  flags.Add("hold-s", &hold_s,
            "Seconds that the last pose is held when nothing arrives; then idle.",
            {.min = 0, .max = 60});
  flags.Add("gone-s", &gone_s, "Seconds of silence after which the performer has gone.",
            {.min = 0, .max = 3600});
  flags.Add("mouth-close-jaw", &mouth_close_jaw,
            "How much of jawOpen the avatar's mouthClose holds; 0 for ARKit's own.",
            {.min = 0, .max = 1});
}

void LiveConfig::Apply(const timecode::FrameRate& fps, VmcSessionSettings& session) const {
  session.fps = fps;
  session.hold_s = hold_s;
  session.gone_s = gone_s;
  session.pose.mouth_close_jaw = static_cast<float>(mouth_close_jaw);
}

}  // namespace posewire::a2f_source
