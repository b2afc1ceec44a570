#include "libs/stream/pull_errors.h"

#include "absl/strings/str_cat.h"
#include "libs/stream/busy.h"

namespace posewire::stream {
namespace {

constexpr size_t kExamples = 8;

}  // namespace

void NameList::Add(absl::string_view name) {
  if (count_++ < kExamples) absl::StrAppend(&text_, text_.empty() ? "" : ", ", "\"", name, "\"");
}

std::string NameList::text() const {
  return count_ <= kExamples ? text_ : absl::StrCat(text_, " and ", count_ - kExamples, " more");
}

absl::Status NameOneAvatar(absl::string_view stream_id, const NameList& targets) {
  return absl::InvalidArgumentError(absl::StrCat("target_object_id is empty, and stream_id \"",
                                                 stream_id, "\" has the avatars ", targets.text(),
                                                 "; name one of them"));
}

absl::Status OfAnotherAvatar(absl::string_view request_id, absl::string_view its_target,
                             absl::string_view target) {
  return absl::InvalidArgumentError(
      absl::StrCat("request_id \"", request_id, "\" belongs to target_object_id \"", its_target,
                   "\", and the pull names \"", target, "\"; leave the target empty"));
}

absl::Status TooFarBehind() {
  return BusyError(
      "this pull is more than 5 s behind, or too many bytes; read faster, or pull again");
}

absl::Status ShuttingDown() {
  return absl::UnavailableError("the server is shutting down; connect again");
}

}  // namespace posewire::stream
