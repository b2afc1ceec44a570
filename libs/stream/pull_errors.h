// Errors with which pulls and other calls are rejected or ended, shared by all servers of pulls.
#ifndef POSEWIRE_LIBS_STREAM_PULL_ERRORS_H_
#define POSEWIRE_LIBS_STREAM_PULL_ERRORS_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::stream {

// Quoted names, shortened to fit into a call's metadata: the first eight, and how many more there
// are.
class NameList {
 public:
  void Add(absl::string_view name);
  std::string text() const;

 private:
  size_t count_ = 0;
  std::string text_;
};

// INVALID_ARGUMENT: the pull names no avatar, but its stream has several: `targets`.
absl::Status NameOneAvatar(absl::string_view stream_id, const NameList& targets);
// INVALID_ARGUMENT: the pull names a target, but its request belongs to another avatar.
absl::Status OfAnotherAvatar(absl::string_view request_id, absl::string_view its_target,
                             absl::string_view target);
// RESOURCE_EXHAUSTED: the consumer is too slow.
absl::Status TooFarBehind();
// UNAVAILABLE: the server drains or has drained.
absl::Status ShuttingDown();

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_PULL_ERRORS_H_
