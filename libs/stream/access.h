// Who calls, and whether they may: asked before any state is touched.
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

// kClips: what all streams share. kWatch: what only reads, poses excepted.
enum class Verb { kPush, kPull, kWatch, kControl, kClips };

// SHA-256. A token itself is kept nowhere.
using TokenHash = std::array<uint8_t, 32>;

// What the transport knows of a caller.
struct Caller {
  std::string peer;
  std::optional<TokenHash> token = {};  // of the bearer token that was sent
};

// In place of a stream_id: the call concerns them all.
inline constexpr char kAllStreams[] = "*";

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // The caller's name, "" where all are one; UNAUTHENTICATED or PERMISSION_DENIED. With an empty
  // stream_id: whether the caller may do it at all. Any thread.
  virtual absl::StatusOr<std::string> Check(const Caller& caller, absl::string_view stream_id,
                                            Verb verb) const = 0;
  // A place among the pushes, or pulls, that the caller may have at once, kept for as long as the
  // result lives; null where there is no limit. RESOURCE_EXHAUSTED (IsBusy) when all are taken.
  // After Check; any thread.
  virtual absl::StatusOr<std::shared_ptr<const void>> Enter(const Caller&, Verb) const {
    return std::shared_ptr<const void>();
  }
};

// Lets everyone do everything.
class AllowAll : public Authorizer {
 public:
  absl::StatusOr<std::string> Check(const Caller&, absl::string_view, Verb) const override {
    return std::string();
  }
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_ACCESS_H_
