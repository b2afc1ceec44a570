#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/open_clip.h"

namespace posewire::animclip {
namespace {

struct Checked {
  int64_t messages = 0;
  bool ends_in_status = false;
};

absl::StatusOr<Checked> Check(const ValidateOptions& options, const Console& console) {
  clipio::OpenOptions read;
  wire::ReaderLimits& limits = read.limits;
  limits.require_ids = options.as_push;
  // The limits of a server with default settings.
  const wire::ReaderLimits server;
  limits.joints = server.joints;
  limits.shapes = server.shapes;
  limits.metadata_entries = server.metadata_entries;
  if (options.as_push) {
    limits.message_bytes = server.message_bytes;
    limits.elements = server.elements;
  }
  auto input = animclip::OpenClip(options.file, read);
  if (!input.ok()) return input.status();
  ProgressBar progress(console, "checking", (*input)->size());
  Checked checked;
  for (;;) {
    const absl::StatusOr<std::optional<wire::Message>> message = (*input)->Next();
    if (!message.ok()) return message.status();
    if (!*message) break;
    checked.ends_in_status = (*message)->status() != nullptr;
    progress.At((*input)->end_of_last());
  }
  Warn(console, (*input)->warnings());
  if ((*input)->messages() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", options.file, "\" has no message; a header is needed"));
  }
  checked.messages = (*input)->messages();
  return checked;
}

}  // namespace

int RunValidate(const ValidateOptions& options, const Console& console) {
  const absl::StatusOr<Checked> checked = Check(options, console);
  if (!checked.ok()) {
    if (options.quiet) return kNo;
    return Fail(console, "validate", checked.status(),
                checked.status().code() == absl::StatusCode::kDataLoss
                    ? "Keep what is whole: animclip recover IN OUT"
                    : "");
  }
  if (!options.quiet) {
    console.out.Print("%s: valid, %d messages%s\n", options.file, checked->messages,
                      checked->ends_in_status ? "" : "; no status at the end");
  }
  return kDone;
}

}  // namespace posewire::animclip
