// What a pull is refused and ended with, by whoever serves it.
#ifndef POSEWIRE_LIBS_STREAM_PULL_ERRORS_H_
#define POSEWIRE_LIBS_STREAM_PULL_ERRORS_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::stream {

// Names in quotes, for an answer that must fit into a call's metadata: the first eight, and how
// many more there are.
class NameList {
 public:
  void Add(absl::string_view name);
  std::string text() const;

 private:
  size_t count_ = 0;
  std::string text_;
};

// INVALID_ARGUMENT: the pull names no avatar, and its stream has these.
absl::Status NameOneAvatar(absl::string_view stream_id, const NameList& targets);
// INVALID_ARGUMENT: the pull names another avatar than its request's.
absl::Status OfAnotherAvatar(absl::string_view request_id, absl::string_view its_target,
                             absl::string_view target);
// RESOURCE_EXHAUSTED: the consumer has fallen too far behind.
absl::Status TooFarBehind();

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_PULL_ERRORS_H_
