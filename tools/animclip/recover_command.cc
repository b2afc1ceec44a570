#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/clipio/stream_reader.h"
#include "tools/animclip/clip_output.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

struct Recovered {
  int64_t messages = 0;
  int64_t lost_bytes = 0;
  absl::Status fault;  // what ended the reading, OK when the file is whole
};

bool IsHeader(const wire::Chunk& chunk) {
  return std::holds_alternative<wire::StreamHeader>(chunk);
}

// Reads up to the first message that is torn or breaks a rule. Errors are of opening and writing.
absl::StatusOr<Recovered> Recover(const RecoverOptions& options, const Console& console) {
  absl::StatusOr<clipio::StreamReader> input = clipio::StreamReader::Open(options.in);
  if (!input.ok()) return input.status();
  Recovered result;
  std::optional<ClipOutput> output;
  Progress progress(console, "recovering", input->size());
  int64_t good_end = 0;
  for (;;) {
    const absl::StatusOr<std::optional<std::string>> bytes = input->NextBytes();
    if (!bytes.ok()) {
      result.fault = bytes.status();
      break;
    }
    if (!*bytes) break;
    const absl::StatusOr<wire::Chunk> chunk = input->Check(**bytes);
    if (!chunk.ok()) {
      result.fault = chunk.status();
      break;
    }
    // Opened with the first good message, so that a file with nothing in it makes none.
    if (!output) {
      if (!IsHeader(*chunk)) break;
      absl::StatusOr<ClipOutput> created = ClipOutput::Create(options.out);
      if (!created.ok()) return created.status();
      output = *std::move(created);
    }
    if (absl::Status s = output->Write(**bytes); !s.ok()) return s;
    ++result.messages;
    good_end = input->end_of_last();
    progress.At(good_end);
  }
  result.lost_bytes = std::max<int64_t>(0, input->size() - good_end);
  if (!output) return result;
  if (absl::Status s = output->Finish(); !s.ok()) return s;
  return result;
}

}  // namespace

int RunRecover(const RecoverOptions& options, const Console& console) {
  const absl::StatusOr<Recovered> result = Recover(options, console);
  if (!result.ok()) {
    return Fail(console, "recover", result.status(), "Check both paths and the space on the disk.");
  }
  if (result->messages == 0) {
    const absl::Status fault =
        result->fault.ok() ? absl::DataLossError(absl::StrCat("\"", options.in, "\" has no header"))
                           : result->fault;
    return Fail(console, "recover", fault,
                "Nothing could be recovered; no file was written. Is it a clip file at all?");
  }
  Report(console, options.out) << absl::StrFormat("%s: %d messages", options.out, result->messages);
  if (result->fault.ok()) {
    Report(console, options.out) << ", nothing lost\n";
    return kDone;
  }
  Report(console, options.out) << absl::StrFormat(", %d bytes lost\n", result->lost_bytes);
  console.err << "animclip recover: stopped at " << std::string(result->fault.message()) << "\n";
  return kLoss;
}

}  // namespace posewire::animclip
