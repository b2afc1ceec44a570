// Shared by the pictures of a clip: the span that is drawn, and the line of facts.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_VIEW_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_VIEW_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/wire/source_binding.h"
#include "tools/animclip/clip_facts.h"
#include "tools/animclip/console.h"
#include "tools/animclip/forward_clip.h"

namespace posewire::animclip {

struct ClipSpan {
  double start_s, end_s;
};

// Parses two times as TimeOf does; an empty one is the clip's own end. INVALID_ARGUMENT for an end
// before the start, and for text that is not a time; OUT_OF_RANGE beyond the clip's end.
absl::StatusOr<ClipSpan> ChooseSpan(absl::string_view from, absl::string_view to,
                                    const ClipFacts& facts);

// The poses of a clip file at times that must not decrease, as a picture needs them. Shows progress
// on the console.
class DrawnClip {
 public:
  // `rig` is as in ChooseRig; with "auto", a clip with unknown joints is drawn on a skeleton made
  // from its first translations. `facts` must be those of the file.
  static absl::StatusOr<std::unique_ptr<DrawnClip>> Open(
      const std::string& path, const ClipFacts& facts, const ClipSpan& span, const std::string& rig,
      const wire::BindingOptions& options, const Console& console);
  // The same on an existing rig.
  static absl::StatusOr<std::unique_ptr<DrawnClip>> Open(const std::string& path,
                                                         const ClipFacts& facts,
                                                         const ClipSpan& span,
                                                         std::shared_ptr<const skel::Rig> rig,
                                                         const wire::BindingOptions& options,
                                                         const Console& console);

  const std::shared_ptr<const skel::Rig>& rig() const { return rig_; }
  const wire::SourceBinding& binding() const { return binding_; }
  absl::Status PoseAt(double t_s, const skel::PoseSpan& out);

 private:
  DrawnClip(std::shared_ptr<const skel::Rig> rig, wire::SourceBinding binding, ForwardClip clip,
            const ClipSpan& span, const Console& console);

  std::shared_ptr<const skel::Rig> rig_;
  wire::SourceBinding binding_;
  ForwardClip clip_;
  double start_s_;
  ProgressBar progress_;
};

// Returns length, span in time code, keys, names, rig and voice.
std::string SubtitleOf(const ClipFacts& facts, const ClipSpan& span, const skel::Rig& rig,
                       const wire::SourceBinding& binding);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_VIEW_H_
