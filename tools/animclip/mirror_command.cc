#include "tools/animclip/clip_mirror.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/edit_clip.h"

namespace posewire::animclip {

int RunMirror(const MirrorOptions& options, const Console& console) {
  ClipMirror mirror(options.rig);
  if (absl::Status s = EditClip(options.in, options.out, "mirroring", mirror, console); !s.ok()) {
    return Fail(console, "mirror", s,
                absl::IsInvalidArgument(s)
                    ? "Name the clip's rig, --rig FILE, or take the joint out: animclip cut --drop"
                    : NextStepAfter(s));
  }
  Report(console, options.out) << options.out << ": left and right are swapped\n";
  return kDone;
}

}  // namespace posewire::animclip
