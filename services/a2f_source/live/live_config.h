// Settings of the commands that take performers by UDP: ifacialmocap, livelink and vmc.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_LIVE_LIVE_CONFIG_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_LIVE_LIVE_CONFIG_H_

#include <string>

#include "libs/service/flags/flags.h"
#include "libs/timecode/frame_rate.h"
#include "services/a2f_source/core/vmc_session.h"

namespace posewire::a2f_source {

// Each field is a flag, an environment variable and a config key; see --help.
struct LiveConfig {
  std::string host = "127.0.0.1";
  std::string port;  // empty: the protocol's own
  std::string dump;
  std::string replay;
  double hold_s = 0.5;
  double gone_s = 3;
  double mouth_close_jaw = 1;

  void Declare(service::Flags& flags);
  // Sets the rate, and what these settings say.
  void Apply(const timecode::FrameRate& fps, VmcSessionSettings& session) const;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_LIVE_LIVE_CONFIG_H_
