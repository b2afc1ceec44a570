#include "libs/diagram/overview.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/diagram/body_plan.h"
#include "libs/diagram/face.h"
#include "libs/diagram/model_pose.h"
#include "libs/diagram/palette.h"
#include "libs/diagram/stick_figure.h"
#include "libs/diagram/view.h"
#include "libs/files/read.h"

namespace posewire::diagram {
namespace {

constexpr int kColumns = 8;
constexpr double kMargin = 20, kGap = 8, kCellWidth = 144, kBodyHeight = 176, kFaceHeight = 130;
constexpr double kText = 34, kTitle = 40, kGroupTitle = 34;
// A cell shows this range of the body's height: from the knees to above raised hands.
constexpr double kLow = 0.34, kHigh = 1.24;

bool AllFaces(const OverviewGroup& group) {
  return std::all_of(group.cells.begin(), group.cells.end(), [](const auto& c) { return c.face; });
}
double CellHeight(const OverviewGroup& group) {
  return AllFaces(group) ? kFaceHeight : kBodyHeight;
}
int Rows(const OverviewGroup& group) {
  return (static_cast<int>(group.cells.size()) + kColumns - 1) / kColumns;
}

double Height(const std::vector<OverviewGroup>& groups) {
  double height = kMargin + kTitle;
  for (const OverviewGroup& group : groups) {
    height += kGroupTitle + Rows(group) * (CellHeight(group) + kGap);
  }
  return height + kMargin;
}

class Page {
 public:
  Page(Canvas& canvas, const skel::Rig& rig, const BodyPlan& plan)
      : canvas_(canvas), rig_(rig), plan_(plan) {}

  void Draw(const std::string& title, const std::vector<OverviewGroup>& groups) {
    canvas_.Text({kMargin, kMargin + 16}, title, {17, kInk, Align::kLeft, true});
    double y = kMargin + kTitle;
    for (const OverviewGroup& group : groups) {
      canvas_.Text({kMargin, y + 18}, group.title, {13, kMutedInk, Align::kLeft, true});
      y += kGroupTitle;
      for (size_t i = 0; i < group.cells.size(); ++i) {
        const auto column = static_cast<double>(i % kColumns);
        const auto row = static_cast<double>(i / kColumns);
        DrawCell(group.cells[i],
                 {kMargin + column * (kCellWidth + kGap), y + row * (CellHeight(group) + kGap),
                  kCellWidth, CellHeight(group)});
      }
      y += Rows(group) * (CellHeight(group) + kGap);
    }
  }

 private:
  void DrawCell(const OverviewCell& cell, const Rect& box) {
    canvas_.FillRect(box, kPanel, 6);
    canvas_.PushClip(box);
    const Rect picture{box.x + 4, box.y + 4, box.w - 8, box.h - kText - 4};
    if (cell.face) {
      const skel::PoseView pose = cell.pose.view();
      std::vector<float> weights(static_cast<size_t>(rig_.shapes()), 0);
      for (int s = 0; s < rig_.shapes(); ++s) {
        if (pose.has_w[s]) weights[static_cast<size_t>(s)] = pose.weights[s];
      }
      DrawFace(canvas_, rig_, weights, picture);
    } else {
      DrawBody(cell, picture);
    }
    canvas_.PopClip();
    const double middle = box.x + box.w / 2;
    canvas_.Text({middle, box.y + box.h - 19}, cell.name, {11, kInk, Align::kCenter, true});
    canvas_.Text({middle, box.y + box.h - 6}, cell.note, {9.5, kMutedInk, Align::kCenter, false});
  }

  void DrawBody(const OverviewCell& cell, const Rect& box) {
    canvas_.PushClip(box);
    const double scale = box.h / ((kHigh - kLow) * plan_.height_m);
    FigurePlacement place;
    place.axes = AxesOf(View::kThreeQuarter);
    place.center = {0, plan_.floor_y_m, 0};
    place.origin = {box.x + box.w / 2, box.y + box.h + kLow * plan_.height_m * scale};
    place.points_per_m = scale;
    DrawFigure(canvas_, plan_, ToModel(rig_, cell.pose.view()), place);
    canvas_.PopClip();
  }

  Canvas& canvas_;
  const skel::Rig& rig_;
  const BodyPlan& plan_;
};

}  // namespace

absl::StatusOr<std::string> DrawOverview(const skel::Rig& rig, const std::string& title,
                                         const std::vector<OverviewGroup>& groups,
                                         ImageFormat format) {
  size_t cells = 0;
  for (const OverviewGroup& group : groups) {
    cells += group.cells.size();
    for (const OverviewCell& cell : group.cells) {
      if (cell.pose.joints() != rig.joints() || cell.pose.shapes() != rig.shapes()) {
        return absl::InvalidArgumentError(
            absl::StrCat("overview: cell \"", cell.name, "\" has ", cell.pose.joints(),
                         " joints and ", cell.pose.shapes(), " shapes; rig ", rig.name(), " has ",
                         rig.joints(), " and ", rig.shapes()));
      }
      if (cell.face && !HasFace(rig)) {
        return absl::InvalidArgumentError(absl::StrCat("overview: cell \"", cell.name,
                                                       "\" shows a face, and rig ", rig.name(),
                                                       " has no shapes for one"));
      }
    }
  }
  if (cells == 0) return absl::InvalidArgumentError("overview: there is nothing to draw");
  const BodyPlan plan = MakeBodyPlan(rig);
  const double width = 2 * kMargin + kColumns * kCellWidth + (kColumns - 1) * kGap;
  return Render(format, width, Height(groups), 1,
                [&](Canvas& canvas) { Page(canvas, rig, plan).Draw(title, groups); });
}

absl::Status WriteOverview(const skel::Rig& rig, const std::string& title,
                           const std::vector<OverviewGroup>& groups, const std::string& path) {
  const absl::StatusOr<ImageFormat> format = ImageFormatOf(path);
  if (!format.ok()) return format.status();
  const absl::StatusOr<std::string> bytes = DrawOverview(rig, title, groups, *format);
  if (!bytes.ok()) return bytes.status();
  return files::WriteWhole(path, *bytes);
}

}  // namespace posewire::diagram
