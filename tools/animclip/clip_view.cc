#include "tools/animclip/clip_view.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace posewire::animclip {

std::string SubtitleOf(const ClipFacts& facts, const skel::Rig& rig,
                       const wire::SourceBinding& binding) {
  const wire::StreamHeader& h = facts.header;
  const TrackFacts& main = facts.pose[wire::kRotations].keys > 0 ? facts.pose[wire::kRotations]
                                                                 : facts.pose[wire::kWeights];
  std::string text = absl::StrFormat("%.2f s", facts.end_s - facts.start_s);
  if (main.keys > 0) absl::StrAppend(&text, " \u00b7 ", main.keys, " keys, ", RateText(main));
  absl::StrAppend(&text, " \u00b7 ", h.joints.size(), " joints, ", h.shapes.size(), " shapes");
  absl::StrAppend(&text, " \u00b7 drawn on ", rig.name());
  if (!binding.recognized_rig().empty() && binding.recognized_rig() != rig.name()) {
    absl::StrAppend(&text, " (names of ", binding.recognized_rig(), ")");
  }
  const int ignored = binding.ignored_joints() + binding.ignored_shapes();
  if (ignored > 0) absl::StrAppend(&text, " \u00b7 ", ignored, " names left out");
  if (h.audio_rate_hz && facts.audio.samples > 0) {
    absl::StrAppend(&text, " \u00b7 voice ", *h.audio_rate_hz, " Hz");
  }
  return text;
}

absl::StatusOr<ClipSpan> ChooseSpan(std::optional<double> from_s, std::optional<double> to_s,
                                    const ClipFacts& facts) {
  const ClipSpan span{from_s.value_or(facts.start_s), to_s.value_or(facts.end_s)};
  if (!(span.start_s <= span.end_s)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the span from %g to %g s is empty; the clip runs from %g to %g s",
                        span.start_s, span.end_s, facts.start_s, facts.end_s));
  }
  return span;
}

}  // namespace posewire::animclip
