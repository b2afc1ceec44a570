// Parses UDP datagrams into VMC messages. Malformed datagrams are rejected and have no other
// effect.
#ifndef POSEWIRE_LIBS_VMC_DATAGRAM_READER_H_
#define POSEWIRE_LIBS_VMC_DATAGRAM_READER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "libs/vmc/messages.h"

namespace posewire::vmc {

// The reason why something was rejected. The first three concern a whole datagram or bundle, the
// rest one message.
enum class Rejection : uint8_t {
  kMalformed,  // not OSC, or truncated; also for a single message
  kTooLarge,   // over 64 KiB
  kTooDeep,    // nested bundles beyond kMaxBundleDepth
  kTooFewArguments,
  kWrongType,
  kNotFinite,   // a number that is NaN or infinite
  kOutOfRange,  // a meaningless number: a position 100 km away, a field of view of 180 degrees
  kNotText,     // not UTF-8
};
inline constexpr size_t kRejections = 8;
// Returns "malformed", "too_large", ...: labels for metrics.
absl::string_view RejectionName(Rejection rejection);

struct ReadCounts {
  uint64_t datagrams = 0;
  uint64_t bundles = 0;
  uint64_t messages = 0;  // understood and passed on
  uint64_t unknown = 0;   // well formed, with an address that VMC does not have
  std::array<uint64_t, kRejections> rejected{};
  uint64_t rejected_in_all() const;
};

inline constexpr size_t kMaxDatagramBytes = 65536;
inline constexpr int kMaxBundleDepth = 16;
// Numbers beyond these are rejected.
inline constexpr float kMaxPosition_m = 100000;
inline constexpr float kMaxWeight = 100;

// Reads OSC 1.0: messages, bundles, nested bundles. If VMC expects a number, int32, int64, uint64
// (OSC's time tag), float, double and booleans are all accepted; a fraction is rounded if a whole
// number is expected. Extra arguments are ignored; the values of longer forms are read as far as
// they are present and valid. Quaternions are normalised; a zero one becomes identity.
//
// Rejecting one message does not affect the others in its datagram. Does not allocate for messages
// that it understands. One thread at a time.
class DatagramReader {
 public:
  // Passes every message to `take`, in the order of the datagram. Their text is valid only during
  // the call.
  void Read(absl::string_view datagram, absl::FunctionRef<void(const Message&)> take);
  // The time tag of the latest datagram's outermost bundle that has one, in seconds since 1900 by
  // the sender's clock. None for a single message, and for the tag that means "immediately".
  const std::optional<double>& time_tag_s() const { return time_tag_s_; }

  const ReadCounts& counts() const { return counts_; }
  // Returns a description of the latest rejection for a log: reason, address, argument. "" if there
  // was none.
  std::string LastRejection() const;

 private:
  friend class PacketWalk;

  struct Last {
    Rejection rejection = Rejection::kMalformed;
    int argument = -1;  // from 0; -1: no particular one
    size_t address_size = 0;
    std::array<char, 64> address{};
    bool any = false;
  };
  void Reject(Rejection rejection, absl::string_view address, int argument);

  ReadCounts counts_;
  std::optional<double> time_tag_s_;
  Last last_;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_DATAGRAM_READER_H_
