// Parses UDP datagrams into VMC messages. The worst that any datagram can do is not be understood.
#ifndef POSEWIRE_LIBS_VMC_DATAGRAM_READER_H_
#define POSEWIRE_LIBS_VMC_DATAGRAM_READER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "libs/vmc/messages.h"

namespace posewire::vmc {

// Why something was refused. The first three concern a whole datagram or bundle, the rest one
// message.
enum class Refusal : uint8_t {
  kMalformed,  // not OSC, or cut off; also a single message
  kTooLarge,   // over 64 KiB
  kTooDeep,    // bundles in bundles beyond kMaxBundleDepth
  kTooFewArguments,
  kWrongType,
  kNotFinite,   // a number that is NaN or infinite
  kOutOfRange,  // a number that means nothing: a place 100 km away, a view of 180 degrees
  kNotText,     // not UTF-8
};
inline constexpr size_t kRefusals = 8;
// "malformed", "too_large", ...: labels for metrics.
absl::string_view RefusalName(Refusal refusal);

struct ReadCounts {
  uint64_t datagrams = 0;
  uint64_t bundles = 0;
  uint64_t messages = 0;  // understood, and handed on
  uint64_t unknown = 0;   // well formed, of an address that VMC does not have
  std::array<uint64_t, kRefusals> refused{};
  uint64_t refused_in_all() const;
};

inline constexpr size_t kMaxDatagramBytes = 65536;
inline constexpr int kMaxBundleDepth = 16;
// A number beyond these is refused.
inline constexpr float kMaxPosition_m = 100000;
inline constexpr float kMaxWeight = 100;

// Reads OSC 1.0: messages, bundles, nested bundles. Time tags are ignored. Where VMC expects a
// number, int32, int64, float, double and truth values are all accepted; a fraction is rounded
// where a whole number is expected. Extra arguments are ignored; the values of longer forms are
// read as far as they are present and valid. Quaternions are normalised; a zero one becomes
// identity.
//
// Refusing one message does not affect the others in its datagram. Does not allocate for messages
// it understands. One thread at a time.
class DatagramReader {
 public:
  // Passes on every message in the order of the datagram. Their text is valid during the call.
  void Read(absl::string_view datagram, absl::FunctionRef<void(const Message&)> take);

  const ReadCounts& counts() const { return counts_; }
  // The latest refusal, for a log: what, which address, which argument. "" if there was none.
  std::string LastRefusal() const;

 private:
  friend class PacketWalk;

  struct Last {
    Refusal refusal = Refusal::kMalformed;
    int argument = -1;  // from 0; -1: none in particular
    size_t address_size = 0;
    std::array<char, 64> address{};
    bool any = false;
  };
  void Refuse(Refusal refusal, absl::string_view address, int argument);

  ReadCounts counts_;
  Last last_;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_DATAGRAM_READER_H_
