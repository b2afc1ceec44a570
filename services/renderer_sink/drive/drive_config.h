// Settings of the commands that drive another program by UDP: livelink and vmc.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRIVE_DRIVE_CONFIG_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRIVE_DRIVE_CONFIG_H_

#include "libs/service/flags/flags.h"

namespace posewire::renderer_sink {

// Each field is a flag, an environment variable and a config key; see --help.
struct DriveConfig {
  double send_hz = 60;
  double mouth_close_jaw = 1;

  void Declare(service::Flags& flags);
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRIVE_DRIVE_CONFIG_H_
