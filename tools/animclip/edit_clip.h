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

  // Changes a header, or data, in place, in the order of the stream; each keeps the stream's rules.
  // False: nothing of it is left. Errors end the edit.
  virtual absl::StatusOr<bool> Apply(Message& message) = 0;
  // What is to be written after the last data; false: nothing.
  virtual bool Rest(Message& /*message*/) { return false; }
  // After all that; an error keeps the file from being put in place.
  virtual absl::Status Check() const { return absl::OkStatus(); }
};

// Which part of the file is needed, where its index can tell.
struct NeededSpan {
  double from_s = 0;
  double to_s = std::numeric_limits<double>::infinity();
};

// Statuses stay before the data that follows them, the last ones at the very end. `doing` stands
// before the progress bar. Errors are recording::ClipReader's, ClipOutput's and the edit's.
absl::Status EditClip(const std::string& in, const std::string& out, absl::string_view doing,
                      MessageEdit& edit, const Console& console, const NeededSpan& span = {});

// What to try when it failed.
absl::string_view NextStepAfter(const absl::Status& status);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_EDIT_CLIP_H_
