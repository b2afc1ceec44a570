#include "tools/animclip/edit_clip.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/clipio/open_clip.h"
#include "tools/animclip/clip_output.h"
#include "tools/animclip/open_clip.h"

namespace posewire::animclip {
namespace {

class Editor {
 public:
  Editor(MessageEdit& edit, ClipOutput& output) : edit_(edit), output_(output) {}

  absl::Status Take(const std::string& bytes) {
    MessageEdit::Message message;
    if (!message.ParseFromString(bytes)) return absl::DataLossError("no animation data");
    if (message.has_status()) {
      statuses_.push_back(bytes);
      return absl::OkStatus();
    }
    const absl::StatusOr<bool> left = edit_.Apply(message);
    if (!left.ok()) return left.status();
    if (!*left) return absl::OkStatus();
    if (absl::Status s = FlushStatuses(); !s.ok()) return s;
    return output_.Write(message.SerializeAsString());
  }

  absl::Status Finish() {
    MessageEdit::Message rest;
    if (edit_.Rest(rest)) {
      if (absl::Status s = output_.Write(rest.SerializeAsString()); !s.ok()) return s;
    }
    if (absl::Status s = FlushStatuses(); !s.ok()) return s;
    if (absl::Status s = edit_.Check(); !s.ok()) return s;
    return output_.Finish();
  }

 private:
  absl::Status FlushStatuses() {
    for (const std::string& status : statuses_) {
      if (absl::Status s = output_.Write(status); !s.ok()) return s;
    }
    statuses_.clear();
    return absl::OkStatus();
  }

  MessageEdit& edit_;
  ClipOutput& output_;
  std::vector<std::string> statuses_;
};

}  // namespace

absl::Status EditClip(const std::string& in, const std::string& out, absl::string_view doing,
                      MessageEdit& edit, const Console& console, const NeededSpan& span) {
  auto input = OpenClip(in);
  if (!input.ok()) return input.status();
  if (absl::Status s = (*input)->Narrow(span.from_s, span.to_s); !s.ok()) return s;
  absl::StatusOr<ClipOutput> output = ClipOutput::Create(out, console.parts);
  if (!output.ok()) return output.status();
  ProgressBar progress(console, doing, (*input)->size());
  Editor editor(edit, *output);
  for (;;) {
    const absl::StatusOr<std::optional<wire::Message>> message = (*input)->Next();
    if (!message.ok()) return message.status();
    if (!*message) break;
    if (absl::Status s = editor.Take(*(**message).bytes); !s.ok()) return s;
    progress.At((*input)->end_of_last());
  }
  Warn(console, (*input)->warnings());
  if ((*input)->messages() == 0) {
    return absl::InvalidArgumentError(absl::StrCat("\"", in, "\" has no message"));
  }
  return editor.Finish();
}

absl::string_view NextStepAfter(const absl::Status& status) {
  if (absl::IsNotFound(status)) return "";
  return absl::IsDataLoss(status) ? "Mend the file first: animclip recover IN OUT"
                                  : "See what the clip holds: animclip info IN";
}

}  // namespace posewire::animclip
