// Requests that a marionette sends to its performer: for the model, the rates and a calibration,
// and messages of the user's choice.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_ASKER_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_ASKER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace posewire::a2f_source {

struct VmcAskerSettings {
  // Requested rates: every n-th frame of status, root, bone, blend shape, camera and devices, as
  // six numbers separated by commas. Empty: no request.
  std::string period = {};
  std::string calibration = "none";        // or "normal", "mr" or "floor"
  double calibrate_after_s = 3;            // between getting ready and calibrating
  std::vector<std::string> messages = {};  // see vmc::EncodeLine
};

// Sends the requests each time a performer appears, but the calibration the first time only,
// because it interrupts the performer. Requests the model and the rates a second time after a
// second, because datagrams get lost. Times are seconds of one clock. One thread.
class VmcAsker {
 public:
  // INVALID_ARGUMENT for settings that cannot be parsed.
  static absl::StatusOr<VmcAsker> Make(const VmcAskerSettings& settings);

  // Returns the datagrams to send now. `present`: whether datagrams arrive from a performer. Valid
  // until the next call.
  absl::Span<const std::string> Due(bool present, double now_s);

 private:
  struct Step {
    double after_s = 0;  // since the performer appeared
    std::string datagram;
    bool once = false;  // not again when a performer appears again
    bool sent = false;
  };
  std::vector<Step> steps_;  // sorted by time
  size_t next_ = 0;
  std::optional<double> since_s_;
  std::vector<std::string> due_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_ASKER_H_
