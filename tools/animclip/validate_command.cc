#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/clipio/stream_reader.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

absl::StatusOr<int64_t> Check(const ValidateOptions& options, const Console& console) {
  wire::ReaderLimits limits = clipio::FileLimits();
  limits.require_ids = options.as_push;
  // The border of a server as it is set by default.
  const wire::ReaderLimits server;
  limits.joints = server.joints;
  limits.shapes = server.shapes;
  limits.metadata_entries = server.metadata_entries;
  if (options.as_push) {
    limits.message_bytes = server.message_bytes;
    limits.elements = server.elements;
  }
  absl::StatusOr<clipio::StreamReader> input = clipio::StreamReader::Open(options.file, limits);
  if (!input.ok()) return input.status();
  Progress progress(console, "checking", input->size());
  for (;;) {
    const absl::StatusOr<std::optional<wire::Chunk>> chunk = input->Next();
    if (!chunk.ok()) return chunk.status();
    if (!*chunk) break;
    progress.At(input->end_of_last());
  }
  if (input->messages() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", options.file, "\" has no message; a header is needed"));
  }
  return input->messages();
}

}  // namespace

int RunValidate(const ValidateOptions& options, const Console& console) {
  const absl::StatusOr<int64_t> messages = Check(options, console);
  if (!messages.ok()) {
    if (options.quiet) return kNo;
    return Fail(console, "validate", messages.status(),
                messages.status().code() == absl::StatusCode::kDataLoss
                    ? "Keep what is whole: animclip recover IN OUT"
                    : "");
  }
  if (!options.quiet) {
    console.out << absl::StrFormat("%s: valid, %d messages\n", options.file, *messages);
  }
  return kDone;
}

}  // namespace posewire::animclip
