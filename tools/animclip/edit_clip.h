// Rewrites a clip message by message, as cut, mirror and retime do.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_EDIT_CLIP_H_
#define POSEWIRE_TOOLS_ANIMCLIP_EDIT_CLIP_H_

#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tools/animclip/console.h"

namespace posewire::animclip {

class MessageEdit {
 public:
  using Message = nvidia_ace::animation_data::v1::AnimationDataStream;

  virtual ~MessageEdit() = default;

  // Changes a header, or data, in place; called in the order of the stream. The result must be
  // valid in the stream. Returns false if nothing of it is left. Errors end the edit.
  virtual absl::StatusOr<bool> Apply(Message& message) = 0;
  // Returns messages to write after the last data; false: none.
  virtual bool Rest(Message& /*message*/) { return false; }
  // Called last; an error prevents the file from being moved to its place.
  virtual absl::Status Check() const { return absl::OkStatus(); }
};

// The part of the file that is needed, for files with an index.
struct NeededSpan {
  double from_s = 0;
  double to_s = std::numeric_limits<double>::infinity();
};

// Statuses stay before the data that follows them, and the last ones at the end. `doing` is the
// label of the progress bar. Errors are those of recording::ClipReader, ClipOutput and the edit.
absl::Status EditClip(const std::string& in, const std::string& out, absl::string_view doing,
                      MessageEdit& edit, const Console& console, const NeededSpan& span = {});

// Returns advice after a failure.
absl::string_view NextStepAfter(const absl::Status& status);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_EDIT_CLIP_H_
