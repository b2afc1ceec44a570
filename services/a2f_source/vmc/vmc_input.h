// VMC for RunLive: a session, and what its log says of datagrams that were not understood.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_VMC_VMC_INPUT_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_VMC_VMC_INPUT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "services/a2f_source/core/vmc_asker.h"
#include "services/a2f_source/core/vmc_session.h"
#include "services/a2f_source/live/run_live.h"

namespace posewire::a2f_source {

// A performer that is asked for what it sends.
struct AskedPerformer {
  std::string address;  // empty: none is asked
  VmcAskerSettings asker = {};
};

// Errors: those of VmcSession::Make, VmcAsker::Make and UdpSender::To. `output` must outlive the
// input.
absl::StatusOr<std::unique_ptr<LiveInput>> MakeVmcInput(const VmcSessionSettings& settings,
                                                        const AskedPerformer& performer,
                                                        VmcOutput* output);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_VMC_VMC_INPUT_H_
