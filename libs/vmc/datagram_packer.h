// Packs VMC messages into UDP datagrams of bounded size.
#ifndef POSEWIRE_LIBS_VMC_DATAGRAM_PACKER_H_
#define POSEWIRE_LIBS_VMC_DATAGRAM_PACKER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/vmc/messages.h"
#include "libs/vmc/time_tag.h"

namespace posewire::vmc {

// A size that passes every network without fragmentation: Ethernet's smallest MTU minus the IPv6
// headers.
inline constexpr size_t kSafeDatagramBytes = 1452;

// Encodes one message as a datagram. INVALID_ARGUMENT if it has text containing a NUL, or does not
// fit into 64 KiB.
absl::StatusOr<std::string> EncodeMessage(const Message& message);

// Puts messages into bundles in the order in which they are
// added, and begins a new bundle when one no longer fits. A bundle is a datagram. Memory is reused
// from frame to frame. One thread at a time.
class DatagramPacker {
 public:
  // `max_bytes` below 256 counts as 256.
  explicit DatagramPacker(size_t max_bytes = kSafeDatagramBytes);

  // Adds a message. INVALID_ARGUMENT, and nothing added, if it fits into no datagram or has text
  // containing a NUL.
  absl::Status Add(const Message& message);
  // The same for what EncodeMessage returned.
  absl::Status AddEncoded(absl::string_view message);
  // Sets the time tag of bundles that begin from now on: seconds since 1900. 0, as at first, means
  // "immediately".
  void SetTimeTag(double since_1900_s) { time_tag_ = TagOfSeconds(since_1900_s); }
  // Makes the next message begin a new datagram.
  void Break();
  // Returns the datagrams since Clear, including the unfinished one. Valid until the next call.
  absl::Span<const std::string> Datagrams() const;
  void Clear();

  size_t max_bytes() const { return max_bytes_; }

 private:
  size_t max_bytes_;
  uint64_t time_tag_ = kImmediately;
  std::string scratch_;                 // one encoded message
  std::vector<std::string> datagrams_;  // the first used_ are in use
  size_t used_ = 0;
  bool open_ = false;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_DATAGRAM_PACKER_H_
