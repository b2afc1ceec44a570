// Runs `a2f_source vmc`: sends a performer's motion from the network, or from a capture, to an
// anim_graph.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_VMC_RUN_VMC_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_VMC_RUN_VMC_H_

#include <memory>
#include <string>

#include "libs/client/push_client.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/a2f_source/core/runner.h"
#include "services/a2f_source/pulls/pull_host.h"
#include "services/a2f_source/vmc/vmc_config.h"

namespace posewire::a2f_source {

// The command's share of the program's common settings.
struct VmcRunSettings {
  VmcSourceConfig vmc;
  timecode::FrameRate fps{60, 1};
  RunIds ids;
  double rate = 1;  // of a replay; infinite: at once
  std::string out;  // empty: push
  client::PushOptions push;
  bool pulled_only = false;  // nothing is pushed
  bool allow_plaintext = false;
};

// Runs until the process is told to stop, or to the end of the replay. With a `host`, the requests
// can be pulled, too; a replay with no other destination waits for the first pull. Prints the ports
// that it listens on once: {"vmc_port": 39539, "performer_port": 39540} as one line on standard
// output. Returns an exit code; a stop by a signal is 0.
int RunVmc(const VmcRunSettings& settings, PullHost* host, service::Process& process,
           const service::Logger& log);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_VMC_RUN_VMC_H_
