#include "libs/diagram/sheet.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "libs/diagram/body_plan.h"
#include "libs/diagram/cells.h"
#include "libs/diagram/lanes.h"
#include "libs/diagram/page.h"
#include "libs/files/read.h"

namespace posewire::diagram {
namespace {

constexpr double kBelowCells = 26;

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

}  // namespace

absl::StatusOr<std::string> DrawSheet(const SheetInput& input, PoseSource source,
                                      ImageFormat format, const SheetOptions& options) {
  if (absl::Status s = CheckOptions(input, options); !s.ok()) return s;
  const skel::Rig& rig = *input.rig;
  const BodyPlan plan = MakeBodyPlan(rig);
  absl::StatusOr<SampledMotion> motion =
      SampleMotion(rig, plan, source,
                   {.start_s = input.start_s, .end_s = input.end_s, .instants = options.instants});
  if (!motion.ok()) return motion.status();
  const double inner = kPageWidth - 2 * kPageMargin;
  std::optional<Cells> cells;
  if (!plan.bones.empty()) cells.emplace(rig, plan, *motion, options.views, inner);
  const Lanes lanes(rig, *motion, input.voice,
                    {.max_shapes = options.max_shapes, .max_joints = options.max_joints});
  const double cells_height = cells ? cells->height() + kBelowCells : 0;
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
  return files::WriteWhole(path, *bytes);
}

}  // namespace posewire::diagram
