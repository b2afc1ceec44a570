#include "tools/animclip/clip_view.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_skeleton.h"
#include "tools/animclip/clip_time.h"
#include "tools/animclip/rig_choice.h"

namespace posewire::animclip {
namespace {

// Returns the skeleton that a clip defines itself, as BVH does: a hierarchy with translations.
// Returns null if it defines none.
absl::StatusOr<std::shared_ptr<const skel::Rig>> OwnRig(const std::string& path,
                                                        const ClipFacts& facts,
                                                        absl::Span<const std::string> shapes) {
  absl::StatusOr<ForwardClip> clip = ForwardClip::Open(path, facts);
  if (!clip.ok()) return clip.status();
  if (absl::Status s = clip->Advance(facts.start_s); !s.ok()) return s;
  const absl::Span<const float> places = clip->Sample(wire::kTranslations);
  if (places.empty()) return nullptr;
  wire::DataChunk first;
  first.pose[wire::kTranslations].time_codes_s = {facts.start_s};
  first.pose[wire::kTranslations].values.assign(places.begin(), places.end());
  asset::Motion motion;
  motion.Start(facts.header);
  motion.Append(first);
  const absl::StatusOr<asset::MotionSkeleton> skeleton = asset::MotionSkeleton::Of(motion);
  if (!skeleton.ok()) return skeleton.status();
  const auto& joints = skeleton->joints;
  if (std::none_of(joints.begin(), joints.end(), [](const auto& j) { return j.parent >= 0; })) {
    return nullptr;
  }
  skel::RigParts parts;
  parts.name = "its own skeleton";
  for (const asset::MotionSkeleton::Joint& joint : joints) {
    parts.joint_paths.push_back(joint.path);
    parts.rest_translations.push_back(joint.translation);
  }
  parts.shapes.assign(shapes.begin(), shapes.end());
  return skel::Rig::Make(std::move(parts));
}

// Returns the skeleton with the face's shapes added.
absl::StatusOr<std::shared_ptr<const skel::Rig>> WithShapes(const skel::Rig& skeleton,
                                                            absl::Span<const std::string> shapes) {
  skel::RigParts parts;
  parts.name = "its own skeleton";
  parts.stance = skeleton.stance();
  for (int j = 0; j < skeleton.joints(); ++j) {
    parts.joint_paths.push_back(skeleton.joint_paths()[static_cast<size_t>(j)]);
    parts.rest_translations.push_back(skeleton.rest().translation(j));
    parts.rest_rotations.push_back(skeleton.rest().rotation(j));
  }
  parts.shapes.assign(shapes.begin(), shapes.end());
  return skel::Rig::Make(std::move(parts));
}

}  // namespace

absl::StatusOr<std::unique_ptr<DrawnClip>> DrawnClip::Open(
    const std::string& path, const ClipFacts& facts, const ClipSpan& span, const std::string& rig,
    const wire::BindingOptions& options, const Console& console) {
  const auto catalog = skel::RigCatalog::Builtin(ShapesFor(facts.header));
  if (!catalog.ok()) return catalog.status();
  auto chosen = ChooseRig(rig, facts.header, *catalog);
  if (!chosen.ok()) return chosen.status();
  if (rig == "auto" && facts.own_skeleton != nullptr) {
    auto own = WithShapes(*facts.own_skeleton, (*chosen)->shape_names());
    if (!own.ok()) return own.status();
    chosen = *std::move(own);
  } else if (rig == "auto" && !facts.header.joints.empty() && GuessRig(facts.header).empty()) {
    auto own = OwnRig(path, facts, (*chosen)->shape_names());
    if (!own.ok()) return own.status();
    if (*own != nullptr) chosen = *std::move(own);
  }
  return Open(path, facts, span, *std::move(chosen), options, console);
}

absl::StatusOr<std::unique_ptr<DrawnClip>> DrawnClip::Open(const std::string& path,
                                                           const ClipFacts& facts,
                                                           const ClipSpan& span,
                                                           std::shared_ptr<const skel::Rig> rig,
                                                           const wire::BindingOptions& options,
                                                           const Console& console) {
  const auto catalog = skel::RigCatalog::Builtin(ShapesFor(facts.header));
  if (!catalog.ok()) return catalog.status();
  auto binding = wire::SourceBinding::Make(facts.header, rig, *catalog, options);
  if (!binding.ok()) return binding.status();
  auto clip = ForwardClip::Open(path, facts);
  if (!clip.ok()) return clip.status();
  return std::unique_ptr<DrawnClip>(
      new DrawnClip(std::move(rig), *std::move(binding), *std::move(clip), span, console));
}

DrawnClip::DrawnClip(std::shared_ptr<const skel::Rig> rig, wire::SourceBinding binding,
                     ForwardClip clip, const ClipSpan& span, const Console& console)
    : rig_(std::move(rig)),
      binding_(std::move(binding)),
      clip_(std::move(clip)),
      start_s_(span.start_s),
      progress_(console, "drawing", static_cast<int64_t>(1000 * (span.end_s - span.start_s))) {}

absl::Status DrawnClip::PoseAt(double t_s, const skel::PoseSpan& out) {
  progress_.At(static_cast<int64_t>(1000 * (t_s - start_s_)));
  if (absl::Status s = clip_.Advance(t_s); !s.ok()) return s;
  wire::SourceBinding::Sample sample;
  for (int t = 0; t < wire::kPoseTracks; ++t) sample.track[t] = clip_.Sample(t);
  binding_.Apply(sample, out);
  return absl::OkStatus();
}

std::string SubtitleOf(const ClipFacts& facts, const ClipSpan& span, const skel::Rig& rig,
                       const wire::SourceBinding& binding) {
  const wire::StreamHeader& h = facts.header;
  const TrackFacts& main = facts.pose[wire::kRotations].keys > 0 ? facts.pose[wire::kRotations]
                                                                 : facts.pose[wire::kWeights];
  std::string text = absl::StrFormat("%.2f s", facts.end_s - facts.start_s);
  const std::string smpte = SmpteSpan(span.start_s, span.end_s, facts);
  if (!smpte.empty()) absl::StrAppend(&text, " \u00b7 ", smpte);
  if (main.keys > 0) absl::StrAppend(&text, " \u00b7 ", main.keys, " keys");
  if (main.keys > 0 && smpte.empty()) absl::StrAppend(&text, ", ", RateText(main));
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

absl::StatusOr<ClipSpan> ChooseSpan(absl::string_view from, absl::string_view to,
                                    const ClipFacts& facts) {
  const auto start = from.empty() ? facts.start_s : TimeOf(from, facts);
  if (!start.ok()) return start.status();
  const auto end = to.empty() ? facts.end_s : TimeOf(to, facts);
  if (!end.ok()) return end.status();
  const ClipSpan span{*start, *end};
  if (!(span.start_s <= span.end_s)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the span from %g to %g s is empty; the clip runs from %g to %g s",
                        span.start_s, span.end_s, facts.start_s, facts.end_s));
  }
  // A clip's last frame counts as shown until the next one would start.
  constexpr double kFrame_s = 0.05;
  for (const auto& [flag, t_s] : {std::pair("--from", span.start_s), {"--to", span.end_s}}) {
    if (t_s <= facts.end_s + kFrame_s) continue;
    return absl::OutOfRangeError(
        absl::StrFormat("%s %g s is beyond the end of the clip, at %g s", flag, t_s, facts.end_s));
  }
  return span;
}

}  // namespace posewire::animclip
