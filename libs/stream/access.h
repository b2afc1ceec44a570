// Identifies callers and checks whether they are permitted to make a call. Checked before any state
// changes.
#ifndef POSEWIRE_LIBS_STREAM_ACCESS_H_
#define POSEWIRE_LIBS_STREAM_ACCESS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::stream {

// kClips: changes to what all streams share. kWatch: everything read-only except poses.
enum class Permission { kPush, kPull, kWatch, kControl, kClips };

// SHA-256.
using TokenHash = std::array<uint8_t, 32>;

// Information about a caller from the transport.
struct Caller {
  std::string peer;
  std::optional<TokenHash> token = {};  // hash of the bearer token, if one was sent
  // As sent, with the token. Only set where calls may be relayed; never logged or stored.
  std::string authorization = {};
  bool relayed = false;  // another server has relayed the call to this one
};

// Used in place of a stream_id for calls that concern all streams.
inline constexpr char kAllStreams[] = "*";

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // Returns the caller's name, or "" if callers are not distinguished. UNAUTHENTICATED or
  // PERMISSION_DENIED. An empty stream_id asks whether the caller may do this on any stream.
  // Callable from any thread.
  virtual absl::StatusOr<std::string> Check(const Caller& caller, absl::string_view stream_id,
                                            Permission permission) const = 0;
  // Reserves one of the pushes, or pulls, that the caller may have open at once, for the lifetime
  // of the result. Null if there is no limit. RESOURCE_EXHAUSTED (IsBusy) if the limit is reached.
  // Call after Check; callable from any thread.
  virtual absl::StatusOr<std::shared_ptr<const void>> Enter(const Caller&, Permission) const {
    return std::shared_ptr<const void>();
  }
};

// Permits everything to every caller.
class AllowAll : public Authorizer {
 public:
  absl::StatusOr<std::string> Check(const Caller&, absl::string_view, Permission) const override {
    return std::string();
  }
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_ACCESS_H_
