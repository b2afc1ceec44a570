// Settings of the commands that take a face from a phone: ifacialmocap and livelink.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_LIVE_FACE_CONFIG_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_LIVE_FACE_CONFIG_H_

#include <string>

#include "libs/livelink/angles.h"
#include "libs/service/flags/flags.h"

namespace posewire::a2f_source {

// Each field is a flag, an environment variable and a config key; see --help.
struct FaceConfig {
  std::string head = "1,1,1";

  void Declare(service::Flags& flags);
  // After the flags were parsed.
  livelink::Angles Head() const { return *livelink::ParseFactors(head); }
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_LIVE_FACE_CONFIG_H_
