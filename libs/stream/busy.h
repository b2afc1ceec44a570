// Marks errors that a later attempt may avoid, to distinguish them from permanent ones.
#ifndef POSEWIRE_LIBS_STREAM_BUSY_H_
#define POSEWIRE_LIBS_STREAM_BUSY_H_

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace posewire::stream {

inline constexpr absl::string_view kBusyPayload = "posewire.dev/busy";

// RESOURCE_EXHAUSTED because other clients currently use the resource. `text` says when to try
// again.
inline absl::Status BusyError(absl::string_view text) {
  absl::Status status = absl::ResourceExhaustedError(text);
  status.SetPayload(kBusyPayload, absl::Cord());
  return status;
}

inline bool IsBusy(const absl::Status& status) {
  return status.GetPayload(kBusyPayload).has_value();
}

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_BUSY_H_
