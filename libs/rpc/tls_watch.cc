#include "libs/rpc/tls_watch.h"

namespace posewire::rpc {

absl::StatusOr<std::optional<TlsTexts>> TlsWatch::Look(Clock::time_point now) {
  constexpr std::chrono::seconds kLookEvery{1};
  if (now - looked_ < kLookEvery) return std::optional<TlsTexts>();
  looked_ = now;
  absl::StatusOr<TlsTexts> read = ReadTlsFiles(files_);
  std::string fault(read.status().message());
  std::swap(fault, last_fault_);
  if (!read.ok()) {
    if (fault == last_fault_) return std::optional<TlsTexts>();
    return read.status();
  }
  if (*read == last_) return std::optional<TlsTexts>();
  last_ = *read;
  return std::optional<TlsTexts>(*std::move(read));
}

}  // namespace posewire::rpc
