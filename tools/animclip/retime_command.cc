#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/retimer.h"

namespace posewire::animclip {
namespace {

absl::StatusOr<Retiming> ReadRetiming(const RetimeOptions& options) {
  if (!options.speed && options.to_fps.empty()) {
    return absl::InvalidArgumentError("there is nothing to do");
  }
  Retiming how;
  how.speed = options.speed.value_or(1);
  how.drop_audio = options.drop_audio;
  if (!(how.speed >= 0.01) || !(how.speed <= 100)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--speed is ", how.speed, "; it must be from 0.01 to 100"));
  }
  if (options.to_fps.empty()) return how;
  const absl::StatusOr<timecode::FrameRate> rate = timecode::ParseFrameRate(options.to_fps);
  if (!rate.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--to-fps: ", rate.status().message()));
  }
  how.rate = *rate;
  return how;
}

}  // namespace

int RunRetime(const RetimeOptions& options, const Console& console) {
  const absl::StatusOr<Retiming> how = ReadRetiming(options);
  if (!how.ok()) {
    Fail(console, "retime", how.status(), "Give --speed 1.25, --to-fps 30, or both.");
    return kUsage;
  }
  Retimer retimer(*how);
  if (absl::Status s = EditClip(options.in, options.out, "retiming", retimer, console); !s.ok()) {
    return Fail(console, "retime", s,
                absl::IsFailedPrecondition(s) ? "Leave it out: --drop-audio" : NextStepAfter(s));
  }
  Report(console, options.out)
      .Print("%s: %d keys, to %.3f s%s\n", options.out, retimer.keys(), retimer.end_s(),
             options.drop_audio ? ", without voice" : "");
  return kDone;
}

}  // namespace posewire::animclip
