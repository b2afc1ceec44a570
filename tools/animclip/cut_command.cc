#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/clipio/stream_reader.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tools/animclip/clip_facts.h"
#include "tools/animclip/clip_output.h"
#include "tools/animclip/clip_time.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/cutter.h"

namespace posewire::animclip {
namespace {

using nvidia_ace::animation_data::v1::AnimationDataStream;

// Statuses go out before the data that follows them, the last ones at the very end.
class CutWriter {
 public:
  CutWriter(Cutter& cutter, ClipOutput& output) : cutter_(cutter), output_(output) {}

  absl::Status Take(const std::string& bytes, int64_t index) {
    AnimationDataStream message;
    if (!message.ParseFromString(bytes)) {
      return absl::DataLossError(absl::StrCat("message ", index, " is no animation data"));
    }
    if (message.has_status()) {
      statuses_.push_back(bytes);
      return absl::OkStatus();
    }
    return cutter_.Cut(message) ? Put(message) : absl::OkStatus();
  }

  absl::Status Finish() {
    AnimationDataStream rest;
    if (cutter_.Rest(rest)) {
      if (absl::Status s = output_.Write(rest.SerializeAsString()); !s.ok()) return s;
    }
    return FlushStatuses();
  }

 private:
  absl::Status Put(const AnimationDataStream& message) {
    if (absl::Status s = FlushStatuses(); !s.ok()) return s;
    return output_.Write(message.SerializeAsString());
  }

  absl::Status FlushStatuses() {
    for (const std::string& status : statuses_) {
      if (absl::Status s = output_.Write(status); !s.ok()) return s;
    }
    statuses_.clear();
    return absl::OkStatus();
  }

  Cutter& cutter_;
  ClipOutput& output_;
  std::vector<std::string> statuses_;
};

struct Span {
  double from_s = 0, to_s = 0;
  std::string told;  // in time code, when it was asked for so
};

absl::Status CutFile(const CutOptions& options, const Span& span, const Console& console,
                     Cutter& cutter) {
  absl::StatusOr<clipio::StreamReader> input = clipio::StreamReader::Open(options.in);
  if (!input.ok()) return input.status();
  if (absl::Status s = input->Narrow(span.from_s, span.to_s); !s.ok()) return s;
  absl::StatusOr<ClipOutput> output = ClipOutput::Create(options.out);
  if (!output.ok()) return output.status();
  Progress progress(console, "cutting", input->size());
  CutWriter writer(cutter, *output);
  for (int64_t index = 0;; ++index) {
    const absl::StatusOr<std::optional<std::string>> bytes = input->NextBytes();
    if (!bytes.ok()) return bytes.status();
    if (!*bytes) break;
    if (absl::Status s = writer.Take(**bytes, index); !s.ok()) return s;
    progress.At(input->end_of_last());
  }
  if (absl::Status s = writer.Finish(); !s.ok()) return s;
  if (cutter.keys() == 0 && cutter.samples() == 0) {
    return absl::OutOfRangeError(absl::StrCat("\"", options.in, "\" has nothing in that span"));
  }
  return output->Finish();
}

absl::StatusOr<Span> ReadSpan(const CutOptions& options, const Console& console) {
  ClipFacts facts;
  const bool smpte = absl::StrContains(options.from, ':') || absl::StrContains(options.to, ':');
  if (smpte) {  // what a label means depends on the clip's rate
    if (options.in == "-") {
      return absl::InvalidArgumentError(
          "standard input cannot be read twice, which time codes need; give seconds");
    }
    absl::StatusOr<ClipFacts> read = GatherFacts(options.in, console);
    if (!read.ok()) return read.status();
    facts = *std::move(read);
  }
  const absl::StatusOr<double> from_s = TimeOf(options.from, facts);
  if (!from_s.ok()) return from_s.status();
  const absl::StatusOr<double> to_s =
      options.to.empty() ? std::numeric_limits<double>::infinity() : TimeOf(options.to, facts);
  if (!to_s.ok()) return to_s.status();
  if (!(*from_s >= 0) || !(*to_s > *from_s)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the span from ", *from_s, " to ", *to_s, " s is empty"));
  }
  Span span{*from_s, *to_s, ""};
  if (smpte) {
    span.told = absl::StrCat(", ", SmpteSpan(*from_s, std::min(*to_s, facts.end_s), facts));
  }
  return span;
}

}  // namespace

int RunCut(const CutOptions& options, const Console& console) {
  const absl::StatusOr<Span> span = ReadSpan(options, console);
  if (!span.ok()) {
    return Fail(console, "cut", span.status(),
                "Give --from at least 0, and --to beyond it: seconds, or HH:MM:SS:FF.");
  }
  Cutter cutter(span->from_s, span->to_s);
  if (absl::Status s = CutFile(options, *span, console, cutter); !s.ok()) {
    return Fail(console, "cut", s,
                s.code() == absl::StatusCode::kDataLoss
                    ? "Mend the file first: animclip recover IN OUT"
                    : "See which times it covers: animclip info IN");
  }
  Report(console, options.out) << absl::StrFormat("%s: %d keys, %d samples%s\n", options.out,
                                                  cutter.keys(), cutter.samples(), span->told);
  return kDone;
}

}  // namespace posewire::animclip
