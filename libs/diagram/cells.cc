#include "libs/diagram/cells.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/diagram/face.h"
#include "libs/diagram/palette.h"
#include "libs/diagram/stick_figure.h"

namespace posewire::diagram {
namespace {

using skel::Vec3;

constexpr double kCellGap = 10, kPad = 10, kLabel = 24, kFoot = 12, kViewGap_m = 0.12;
constexpr double kMaxFigure = 330;   // points, from the floor to the highest reach
constexpr double kMaxHeight = 1150;  // for all rows together
constexpr double kStrip = 92, kFaceStrip = 122, kFaceOnly = 190;
constexpr double kTrail_s = 1;     // of the wrists' path
constexpr float kTravel_m = 0.5f;  // the camera follows if the body moves farther

bool FingersMove(const SampledMotion& motion) {
  for (const JointTrack& track : motion.tracks) {
    if (!track.finger) continue;
    for (const Vec3& turn : track.turn_deg) {
      if (skel::Length(turn - track.turn_deg[0]) > 4) return true;
    }
  }
  return false;
}

}  // namespace

Cells::Cells(const skel::Rig& rig, const BodyPlan& plan, const SampledMotion& motion,
             const std::vector<View>& views, double width)
    : rig_(rig), plan_(plan), motion_(motion), views_(views) {
  hands_ = plan.wrist[0] >= 0 && plan.wrist[1] >= 0 && FingersMove(motion);
  face_ = HasFace(rig) && !MovingShapes(rig, motion).empty();
  const bool body = motion.mover >= 0 || !FindMovingTracks(motion).tracks.empty() || !face_;
  // If only the face moves, it gets the whole cell.
  strip_height_ = !body ? kFaceOnly : hands_ ? kStrip : face_ ? kFaceStrip : 0;
  if (body) Measure(views);
  Arrange(width);
}

// The centre of the figure: below the hips if the figure travels, otherwise the rig's origin.
Vec3 Cells::Middle(const Instant& instant) const {
  if (!follow_ || instant.pose.position.empty()) return {0, plan_.floor_y_m, 0};
  Vec3 sum;
  float n = 0;
  for (int j : plan_.hip) {
    if (j < 0) continue;
    sum = sum + instant.pose.position[static_cast<size_t>(j)];
    n += 1;
  }
  if (n == 0) return {0, plan_.floor_y_m, 0};
  return {sum.x / n, plan_.floor_y_m, sum.z / n};
}

void Cells::Measure(const std::vector<View>& views) {
  follow_ = true;
  Vec3 low{1e9f, 0, 1e9f}, high{-1e9f, 0, -1e9f};
  for (const Instant& i : motion_.instants) {
    const Vec3 m = Middle(i);
    low = {std::min(low.x, m.x), 0, std::min(low.z, m.z)};
    high = {std::max(high.x, m.x), 0, std::max(high.z, m.z)};
  }
  follow_ = skel::Length(high - low) > kTravel_m;
  low_y_m_ = -0.02;
  high_y_m_ = plan_.height_m * 0.5;
  for (View view : views) {
    ViewBox box{AxesOf(view), {-0.2f, 0, -0.2f}, {0.2f, 0, 0.2f}};
    for (const Instant& i : motion_.instants) {
      GrowExtent(plan_, i.pose, box.axes, Middle(i), box.low, box.high);
    }
    low_y_m_ = std::min<double>(low_y_m_, box.low.y);
    high_y_m_ = std::max<double>(high_y_m_, box.high.y);
    boxes_.push_back(box);
  }
}

// Chooses the number of columns that shows the figures largest within the available height. If
// several are equal, chooses the most columns.
void Cells::Arrange(double width) {
  const int count = static_cast<int>(motion_.instants.size());
  if (boxes_.empty()) {
    columns_ = std::min(count, count <= 24 ? 6 : 8);
    rows_ = (count + columns_ - 1) / columns_;
    cell_width_ = (width - kCellGap * (columns_ - 1)) / columns_;
    cell_height_ = kLabel + strip_height_;
    return;
  }
  double need_m = kViewGap_m * static_cast<double>(boxes_.size() + 1);
  for (const ViewBox& box : boxes_) need_m += box.width_m();
  const double tall_m = high_y_m_ - low_y_m_;
  double best = -1;
  for (int columns = 1; columns <= count; ++columns) {
    const int rows = (count + columns - 1) / columns;
    const double cell = (width - kCellGap * (columns - 1)) / columns;
    const double fixed = kLabel + kFoot + strip_height_;
    const double room = (kMaxHeight - kCellGap * (rows - 1)) / rows - fixed;
    double scale = std::min({(cell - 2 * kPad) / need_m, room / tall_m, kMaxFigure / tall_m});
    // Empty cells lower the score slightly.
    const double empty = rows * columns - count;
    const double worth = scale * (1 - 0.5 * empty / (rows * columns));
    if (worth < best || scale <= 0) continue;
    best = worth;
    columns_ = columns, rows_ = rows;
    cell_width_ = cell, points_per_m_ = scale;
    cell_height_ = fixed + scale * tall_m;
  }
}

double Cells::height() const { return rows_ * cell_height_ + (rows_ - 1) * kCellGap; }

void Cells::Draw(Canvas& canvas, Point corner) const {
  for (size_t i = 0; i < motion_.instants.size(); ++i) {
    const size_t row = i / static_cast<size_t>(columns_);
    const size_t column = i % static_cast<size_t>(columns_);
    DrawCell(canvas, i,
             {corner.x + static_cast<double>(column) * (cell_width_ + kCellGap),
              corner.y + static_cast<double>(row) * (cell_height_ + kCellGap), cell_width_,
              cell_height_});
  }
}

void Cells::DrawCell(Canvas& canvas, size_t index, const Rect& cell) const {
  const Instant& instant = motion_.instants[index];
  canvas.FillRect(cell, kPanel, 6);
  canvas.PushClip(cell);
  const TextStyle number{11, kInk, Align::kLeft, true};
  const TextStyle time{10.5, kMutedInk, Align::kLeft, false};
  const std::string label = absl::StrCat(index + 1);
  const std::string at = absl::StrFormat("%.2f s", instant.t_s);
  const double time_x = cell.x + kPad + canvas.TextWidth(label, number) + 8;
  canvas.Text({cell.x + kPad, cell.y + 17}, label, number);
  canvas.Text({time_x, cell.y + 17}, at, time);
  DrawViews(canvas, index, cell, time_x + canvas.TextWidth(at, time) + 6);
  if (strip_height_ > 0) {
    DrawCloseUps(canvas, instant,
                 {cell.x + kPad, cell.y + cell.h - strip_height_ - 2, cell.w - 2 * kPad,
                  strip_height_ - kPad + 2});
  }
  canvas.PopClip();
}

void Cells::DrawViews(Canvas& canvas, size_t index, const Rect& cell, double name_x) const {
  if (boxes_.empty()) return;
  const Instant& instant = motion_.instants[index];
  const double floor = cell.y + kLabel + high_y_m_ * points_per_m_;
  canvas.Line({cell.x + kPad, floor}, {cell.x + cell.w - kPad, floor}, 1, kFloor);
  double used_m = kViewGap_m * static_cast<double>(boxes_.size() - 1);
  for (const ViewBox& box : boxes_) used_m += box.width_m();
  double x = cell.x + (cell.w - used_m * points_per_m_) / 2;
  for (size_t v = 0; v < boxes_.size(); ++v) {
    const ViewBox& box = boxes_[v];
    const Point origin{x - box.low.x * points_per_m_, floor};
    DrawTrails(canvas, index, box, origin);
    DrawFigure(canvas, plan_, instant.pose, {box.axes, Middle(instant), origin, points_per_m_});
    if (boxes_.size() > 1) {
      // Above the figure, but not over the time.
      const TextStyle style{9, Hex(0xA3ADB8), Align::kLeft, false};
      const double middle = x + box.width_m() * points_per_m_ / 2;
      const double width = canvas.TextWidth(NameOf(views_[v]), style);
      const double left = std::max(middle - width / 2, name_x);
      canvas.Text({left, cell.y + 17}, NameOf(views_[v]), style);
      name_x = left + width + 6;
    }
    x += (box.width_m() + kViewGap_m) * points_per_m_;
  }
}

// Draws the path of the wrists since the previous instant, at most a second of it. It fades towards
// its start.
void Cells::DrawTrails(Canvas& canvas, size_t index, const ViewBox& box, Point origin) const {
  if (index == 0) return;
  const double to = motion_.instants[index].t_s;
  const double from = std::max(motion_.instants[index - 1].t_s, to - kTrail_s);
  const FigurePlacement place{box.axes, Middle(motion_.instants[index]), origin, points_per_m_};
  const auto begin = std::lower_bound(motion_.times_s.begin(), motion_.times_s.end(), from);
  const auto end = std::upper_bound(motion_.times_s.begin(), motion_.times_s.end(), to);
  const auto first = static_cast<size_t>(begin - motion_.times_s.begin());
  const auto last = static_cast<size_t>(end - motion_.times_s.begin());
  for (int side = 0; side < 2; ++side) {
    if (motion_.wrist_m[side].empty()) continue;
    const Color color = side == 0 ? kLeft : kRight;
    for (size_t i = first + 1; i < last; ++i) {
      const double fade = (motion_.times_s[i] - from) / (to - from);
      canvas.Line(place.OnPage(motion_.wrist_m[side][i - 1]),
                  place.OnPage(motion_.wrist_m[side][i]), 1.6,
                  Mix(kPanel, color, 0.08 + 0.42 * fade));
    }
  }
}

// Draws the close-ups in their order from the front: the right hand, the face, the left hand.
void Cells::DrawCloseUps(Canvas& canvas, const Instant& instant, const Rect& strip) const {
  const int parts = (hands_ ? 2 : 0) + (face_ ? 1 : 0);
  const double gap = 6;
  const double width = std::min((strip.w - gap * (parts - 1)) / parts, strip.h * 1.25);
  double x = strip.x + (strip.w - width * parts - gap * (parts - 1)) / 2;
  const double hand_m = 0.25 * plan_.height_m / 1.75;
  const auto hand = [&](int side) {
    const Rect box{x, strip.y, width, strip.h};
    canvas.FillRect(box, kPaper, 4);
    canvas.PushClip(box);
    DrawHand(canvas, plan_, instant.pose, side,
             {FacingPalm(plan_, instant.pose, side, AxesOf(View::kFront)),
              HandCenter(plan_, instant.pose, side),
              {box.x + box.w / 2, box.y + box.h / 2},
              std::min(box.w, box.h) / hand_m});
    canvas.PopClip();
    x += width + gap;
  };
  if (hands_) hand(1);
  if (face_) {
    const Rect box{x, strip.y, width, strip.h};
    canvas.FillRect(box, kPaper, 4);
    canvas.PushClip(box);
    DrawFace(canvas, rig_, instant.weights, {box.x, box.y + 2, box.w, box.h - 4});
    canvas.PopClip();
    x += width + gap;
  }
  if (hands_) hand(0);
}

}  // namespace posewire::diagram
