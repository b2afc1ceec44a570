#include "libs/diagram/plot.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/diagram/lanes.h"
#include "libs/diagram/page.h"
#include "libs/diagram/paths.h"
#include "libs/names/known_names.h"

namespace posewire::diagram {
namespace {

constexpr double kAbovePaths = 22;

absl::Status CheckOptions(const PlotInput& input, const PlotOptions& o) {
  if (input.rig == nullptr) return absl::InvalidArgumentError("plot: no rig");
  if (o.instants < 2 || o.instants > 48) {
    return absl::InvalidArgumentError(
        absl::StrCat("plot: instants is ", o.instants, "; 2 to 48 fit on a page"));
  }
  if (o.max_shapes < 0 || o.max_joints < 0) {
    return absl::InvalidArgumentError("plot: the number of lanes is negative");
  }
  return absl::OkStatus();
}

absl::Status UnknownTrack(const skel::Rig& rig, const SampledMotion& motion,
                          const std::string& name) {
  std::vector<std::string> known;
  for (const ShapeCurve& c : MovingShapes(rig, motion)) known.push_back(c.label);
  for (const JointTrack* t : FindMovingTracks(motion).tracks) known.push_back(t->label);
  if (motion.mover >= 0) known.push_back("position");
  return absl::InvalidArgumentError(
      absl::StrCat("no track \"", name, "\" moves in the clip", KnownNames(name, known)));
}

// Adds a description for programs and screen readers, because letters are outlines in the SVG.
void Describe(const std::vector<std::string>& lanes, const std::vector<std::string>& joints,
              std::string* svg) {
  const size_t tag = svg->find("<svg");
  const size_t end = tag == std::string::npos ? tag : svg->find('>', tag);
  if (end == std::string::npos) return;
  const std::string text =
      absl::StrCat("Curves: ", absl::StrJoin(lanes, ", "), ". Ways: ", absl::StrJoin(joints, ", "));
  svg->insert(end + 1,
              absl::StrCat("\n<desc>", absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}}),
                           "</desc>"));
}

absl::StatusOr<std::string> Draw(const PlotInput& input, PoseSource source,
                                 const PoseSource* source_behind, ImageFormat format,
                                 const PlotOptions& options) {
  if (absl::Status s = CheckOptions(input, options); !s.ok()) return s;
  const skel::Rig& rig = *input.rig;
  const BodyPlan plan = MakeBodyPlan(rig);
  const std::vector<FollowedJoint> followed = FollowedJoints(plan);
  MotionOptions how{.start_s = input.start_s, .end_s = input.end_s, .instants = options.instants};
  for (const FollowedJoint& f : followed) how.follow.push_back(f.joint);
  const absl::StatusOr<SampledMotion> motion = SampleMotion(rig, plan, source, how);
  if (!motion.ok()) return motion.status();
  std::optional<SampledMotion> behind;
  if (source_behind != nullptr) {
    absl::StatusOr<SampledMotion> other = SampleMotion(rig, plan, *source_behind, how);
    if (!other.ok()) return other.status();
    behind = *std::move(other);
  }
  const Lanes lanes(rig, *motion, input.voice,
                    {.max_shapes = options.max_shapes,
                     .max_joints = options.max_joints,
                     .names = options.tracks,
                     .spectrogram = input.voice != nullptr ? input.spectrogram : nullptr,
                     .behind = behind ? &*behind : nullptr});
  if (!lanes.unknown().empty()) return UnknownTrack(rig, *motion, lanes.unknown().front());
  const Paths paths(plan, *motion, followed);
  const double inner = kPageWidth - 2 * kPageMargin, top = kPageHeader + 24;
  const double paths_top = top + lanes.height() + kAbovePaths;
  absl::StatusOr<std::string> picture =
      Render(format, kPageWidth, paths_top + paths.height() + kPageMargin, options.pixels_per_point,
             [&](Canvas& canvas) {
               DrawPageHeader(canvas, options.title, options.subtitle);
               lanes.Draw(canvas, {kPageMargin, top, inner, lanes.height()});
               paths.Draw(canvas, {kPageMargin, paths_top, inner, paths.height()});
             });
  if (!picture.ok() || format != ImageFormat::kSvg) return picture;
  std::vector<std::string> joints;
  for (const FollowedJoint& f : followed) {
    if (paths.height() > 0) joints.push_back(f.label);
  }
  Describe(lanes.Labels(), joints, &*picture);
  return picture;
}

}  // namespace

absl::StatusOr<std::string> DrawPlot(const PlotInput& input, PoseSource source, ImageFormat format,
                                     const PlotOptions& options) {
  return Draw(input, source, nullptr, format, options);
}

absl::StatusOr<std::string> DrawPlotOver(const PlotInput& input, PoseSource source,
                                         PoseSource behind, ImageFormat format,
                                         const PlotOptions& options) {
  return Draw(input, source, &behind, format, options);
}

}  // namespace posewire::diagram
