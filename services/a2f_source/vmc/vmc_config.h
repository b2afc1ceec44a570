// Settings of `a2f_source vmc` only.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_VMC_VMC_CONFIG_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_VMC_VMC_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/service/flags/flags.h"
#include "libs/timecode/frame_rate.h"
#include "services/a2f_source/core/vmc_asker.h"
#include "services/a2f_source/core/vmc_session.h"
#include "services/a2f_source/live/live_config.h"

namespace posewire::a2f_source {

// Each field is a flag, an environment variable and a config key; see --help.
struct VmcSourceConfig {
  std::string performer;  // empty: not listened on
  double hips_height_m = 0;
  bool t_pose_first = false;
  std::string face_bones = "unless-shapes";
  std::string user = "vmc";
  std::vector<std::string> devices;
  std::string users_at = "0,0,0";
  std::string eye_target = "head";
  std::vector<std::string> events;
  std::vector<std::string> variables;
  std::vector<std::string> characters;
  std::string ask;  // empty: the performer is asked nothing
  VmcAskerSettings asker;

  void Declare(service::Flags& flags);
  // INVALID_ARGUMENT for values that cannot be parsed.
  absl::StatusOr<VmcSessionSettings> Session(const LiveConfig& live,
                                             const timecode::FrameRate& fps) const;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_VMC_VMC_CONFIG_H_
