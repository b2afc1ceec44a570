// iFacialMocap for RunLive: a session, and what its log says.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_IFACIALMOCAP_IFACIALMOCAP_INPUT_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_IFACIALMOCAP_IFACIALMOCAP_INPUT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "services/a2f_source/core/ifacialmocap_session.h"
#include "services/a2f_source/live/run_live.h"

namespace posewire::a2f_source {

// Errors: those of IfacialmocapSession::Make. `output` must outlive the input.
absl::StatusOr<std::unique_ptr<LiveInput>> MakeIfacialmocapInput(
    const IfacialmocapSessionSettings& settings, VmcOutput* output);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_IFACIALMOCAP_IFACIALMOCAP_INPUT_H_
