#include "libs/figure/sheet.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "libs/figure/body_plan.h"
#include "libs/figure/cells.h"
#include "libs/figure/lanes.h"
#include "libs/figure/page.h"
#include "libs/figure/whole_file.h"

namespace posewire::figure {
namespace {

constexpr double kBetween = 26;

absl::Status CheckOptions(const SheetInput& input, const SheetOptions& o) {
  if (input.rig == nullptr) return absl::InvalidArgumentError("sheet: no rig");
  if (o.instants < 1 || o.instants > 48) {
    return absl::InvalidArgumentError(
        absl::StrCat("sheet: instants is ", o.instants, "; 1 to 48 fit on a page"));
  }
  if (o.views.empty()) {
    return absl::InvalidArgumentError("sheet: no view; name front, side or 3/4");
  }
  if (o.max_shapes < 0 || o.max_joints < 0) {
    return absl::InvalidArgumentError("sheet: the number of lanes is negative");
  }
  return absl::OkStatus();
}

// Writes the pose between two others: values present in either, the one alone where the other has
// none.
void Between(const skel::PoseView& a, const skel::PoseView& b, float t, const skel::PoseSpan& out) {
  for (int j = 0; j < out.joints; ++j) {
    if (a.has_t[j] || b.has_t[j]) {
      out.SetTranslation(j, skel::Lerp((a.has_t[j] ? a : b).translation(j),
                                       (b.has_t[j] ? b : a).translation(j), t));
    }
    if (a.has_r[j] || b.has_r[j]) {
      out.SetRotation(
          j, skel::Slerp((a.has_r[j] ? a : b).rotation(j), (b.has_r[j] ? b : a).rotation(j), t));
    }
  }
  for (int s = 0; s < out.shapes; ++s) {
    if (!a.has_w[s] && !b.has_w[s]) continue;
    const float from = (a.has_w[s] ? a : b).weights[s], to = (b.has_w[s] ? b : a).weights[s];
    out.SetWeight(s, from + (to - from) * t);
  }
}

}  // namespace

absl::StatusOr<std::string> DrawSheet(const SheetInput& input, PoseSource source,
                                      ImageFormat format, const SheetOptions& options) {
  if (absl::Status s = CheckOptions(input, options); !s.ok()) return s;
  const skel::Rig& rig = *input.rig;
  const BodyPlan plan = MakeBodyPlan(rig);
  absl::StatusOr<Motion> motion =
      SampleMotion(rig, plan, source,
                   {.start_s = input.start_s, .end_s = input.end_s, .instants = options.instants});
  if (!motion.ok()) return motion.status();
  const double inner = kPageWidth - 2 * kPageMargin;
  std::optional<Cells> cells;
  if (!plan.bones.empty()) cells.emplace(rig, plan, *motion, options.views, inner);
  const Lanes lanes(rig, *motion, input.voice,
                    {.max_shapes = options.max_shapes, .max_joints = options.max_joints});
  const double cells_height = cells ? cells->height() + kBetween : 0;
  const double top = kPageHeader + 24;
  const double height = top + cells_height + lanes.height() + kPageMargin;
  return Render(format, kPageWidth, height, options.pixels_per_point, [&](Canvas& canvas) {
    DrawPageHeader(canvas, options.title, options.subtitle);
    if (cells) cells->Draw(canvas, {kPageMargin, top});
    lanes.Draw(canvas, {kPageMargin, top + cells_height, inner, lanes.height()});
  });
}

absl::Status WriteSheet(const SheetInput& input, PoseSource source, const std::string& path,
                        const SheetOptions& options) {
  const absl::StatusOr<ImageFormat> format = ImageFormatOf(path);
  if (!format.ok()) return format.status();
  const absl::StatusOr<std::string> bytes = DrawSheet(input, source, *format, options);
  if (!bytes.ok()) return bytes.status();
  return WriteWhole(path, *bytes);
}

absl::Status WriteSheet(std::shared_ptr<const skel::Rig> rig, absl::Span<const double> times_s,
                        absl::Span<const skel::Pose> poses, const Waveform* voice,
                        const std::string& path, const SheetOptions& options) {
  if (poses.empty() || poses.size() != times_s.size()) {
    return absl::InvalidArgumentError(absl::StrCat("sheet: ", poses.size(), " poses and ",
                                                   times_s.size(),
                                                   " times; one time a pose is needed"));
  }
  size_t at = 0;
  const auto source = [&](double t_s, const skel::PoseSpan& out) {
    while (at + 2 < times_s.size() && times_s[at + 1] <= t_s) ++at;
    const size_t next = std::min(at + 1, times_s.size() - 1);
    const double gap = times_s[next] - times_s[at];
    const double t = gap > 0 ? std::clamp((t_s - times_s[at]) / gap, 0.0, 1.0) : 0;
    Between(poses[at].view(), poses[next].view(), static_cast<float>(t), out);
    return absl::OkStatus();
  };
  return WriteSheet({std::move(rig), times_s.front(), times_s.back(), voice}, source, path,
                    options);
}

}  // namespace posewire::figure
