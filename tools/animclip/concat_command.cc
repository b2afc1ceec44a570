#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/clipio/open_clip.h"
#include "tools/animclip/clip_output.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/edit_clip.h"
#include "tools/animclip/joiner.h"
#include "tools/animclip/open_clip.h"

namespace posewire::animclip {
namespace {

absl::StatusOr<std::vector<ClipFacts>> LookAt(const ConcatOptions& options,
                                              const Console& console) {
  std::vector<ClipFacts> clips;
  for (const std::string& path : options.in) {
    if (IsReadOnce(path)) {
      return absl::InvalidArgumentError(
          "standard input and pipes cannot be read twice; save it to a file");
    }
    absl::StatusOr<ClipFacts> facts = GatherFacts(path, console);
    if (!facts.ok()) return facts.status();
    if (!facts->has_header) {
      return absl::InvalidArgumentError(absl::StrCat("\"", path, "\" has no message"));
    }
    clips.push_back(*std::move(facts));
  }
  return clips;
}

class Concat {
 public:
  Concat(Joiner joiner, ClipOutput& output) : joiner_(std::move(joiner)), output_(output) {}

  absl::Status Add(const std::string& path, const Console& console) {
    joiner_.Next();
    starts_s_.push_back(joiner_.start_s());
    auto reader = clipio::OpenClip(path);
    if (!reader.ok()) return reader.status();
    ProgressBar progress(console, "joining", (*reader)->size());
    last_.clear();
    for (;;) {
      const absl::StatusOr<std::optional<wire::Message>> message = (*reader)->Next();
      if (!message.ok()) return message.status();
      if (!*message) return absl::OkStatus();
      if (absl::Status s = Take(*(**message).bytes); !s.ok()) return s;
      progress.At((*reader)->end_of_last());
    }
  }

  // Writes the statuses at the end of the last clip.
  absl::Status Finish() {
    for (const std::string& status : last_) {
      if (absl::Status s = output_.Write(status); !s.ok()) return s;
    }
    return output_.Finish();
  }

  const std::vector<double>& starts_s() const { return starts_s_; }

 private:
  absl::Status Take(const std::string& bytes) {
    Joiner::Message message;
    if (!message.ParseFromString(bytes)) return absl::DataLossError("no animation data");
    if (message.has_status()) {
      last_.push_back(bytes);
      return absl::OkStatus();
    }
    last_.clear();
    if (message.has_animation_data_stream_header()) {
      if (starts_s_.size() > 1) return absl::OkStatus();
      joiner_.ChangeHeader(*message.mutable_animation_data_stream_header());
    } else if (message.has_animation_data()) {
      joiner_.Place(message);
    }
    return output_.Write(message.SerializeAsString());
  }

  Joiner joiner_;
  ClipOutput& output_;
  std::vector<std::string> last_;
  std::vector<double> starts_s_;
};

// Returns the start times of the clips in the output.
absl::StatusOr<std::vector<double>> Join(const ConcatOptions& options, const Console& console) {
  const absl::StatusOr<std::vector<ClipFacts>> clips = LookAt(options, console);
  if (!clips.ok()) return clips.status();
  absl::StatusOr<Joiner> joiner = Joiner::Make(*clips, options.gap_s, options.rig);
  if (!joiner.ok()) return joiner.status();
  absl::StatusOr<ClipOutput> output = ClipOutput::Create(options.out, console.parts);
  if (!output.ok()) return output.status();
  Concat concat(*std::move(joiner), *output);
  for (const std::string& path : options.in) {
    if (absl::Status s = concat.Add(path, console); !s.ok()) return s;
  }
  if (absl::Status s = concat.Finish(); !s.ok()) return s;
  return concat.starts_s();
}

}  // namespace

int RunConcat(const ConcatOptions& options, const Console& console) {
  if (options.gap_s && !(*options.gap_s > 0 && *options.gap_s <= 3600)) {
    Fail(console, "concat",
         absl::InvalidArgumentError(
             absl::StrCat("--gap is ", *options.gap_s, "; it must be over 0, up to 3600 s")),
         "");
    return kUsage;
  }
  const absl::StatusOr<std::vector<double>> starts_s = Join(options, console);
  if (!starts_s.ok()) {
    return Fail(console, "concat", starts_s.status(), NextStepAfter(starts_s.status()));
  }
  const Output& report = Report(console, options.out);
  report << options.out << ": " << options.in.size() << " clips\n";
  for (size_t i = 0; i < options.in.size(); ++i) {
    report.Print("  %8.3f s  %s\n", (*starts_s)[i], options.in[i]);
  }
  return kDone;
}

}  // namespace posewire::animclip
