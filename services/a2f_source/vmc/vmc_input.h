// VMC for RunLive: a session, and what its log says of datagrams that were not understood.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_VMC_VMC_INPUT_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_VMC_VMC_INPUT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "services/a2f_source/core/vmc_session.h"
#include "services/a2f_source/live/run_live.h"

namespace posewire::a2f_source {

// Errors: those of VmcSession::Make. `output` must outlive the input.
absl::StatusOr<std::unique_ptr<LiveInput>> MakeVmcInput(const VmcSessionSettings& settings,
                                                        VmcOutput* output);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_VMC_VMC_INPUT_H_
