#include "libs/diagram/paths.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/diagram/page.h"
#include "libs/diagram/palette.h"
#include "libs/diagram/view.h"

namespace posewire::diagram {
namespace {

using skel::Vec3;

constexpr double kHeight = 480, kTable = 270, kPathGap = 18, kInset = 26;
constexpr float kStill_m = 0.002f;
constexpr View kViews[] = {View::kFront, View::kSide};

struct Extent {
  Vec3 low{1e9f, 1e9f, 1e9f}, high{-1e9f, -1e9f, -1e9f};

  void Grow(const Vec3& p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  Vec3 size() const { return high - low; }
  Vec3 middle() const { return (low + high) * 0.5f; }
};

Extent ExtentOf(const std::vector<Vec3>& path) {
  Extent e;
  for (const Vec3& p : path) e.Grow(p);
  return e;
}

float LengthOf(const std::vector<Vec3>& path) {
  float length = 0;
  for (size_t i = 1; i < path.size(); ++i) length += skel::Length(path[i] - path[i - 1]);
  return length;
}

}  // namespace

std::vector<FollowedJoint> FollowedJoints(const BodyPlan& plan) {
  const FollowedJoint all[] = {
      {"left wrist", plan.wrist[0], kLeft},
      {"right wrist", plan.wrist[1], kRight},
      {"head", plan.head.joint, kAxis[2]},
      {"hips", plan.pelvis, kAxis[1]},
      {"left foot", plan.ankle[0], Mix(kLeft, kPaper, 0.4)},
      {"right foot", plan.ankle[1], Mix(kRight, kPaper, 0.4)},
  };
  std::vector<FollowedJoint> out;
  for (const FollowedJoint& j : all) {
    if (j.joint >= 0) out.push_back(j);
  }
  return out;
}

// The position and scale of a view on the page.
struct Paths::Frame {
  Rect box;
  ViewAxes axes;
  View view;
  Vec3 middle;
  double points_per_m;

  Point At(const Vec3& p) const {
    const Vec3 v = axes.Project(p - middle);
    return {box.x + box.w / 2 + v.x * points_per_m, box.y + box.h / 2 - v.y * points_per_m};
  }
};

Paths::Paths(const BodyPlan& plan, const SampledMotion& motion, std::vector<FollowedJoint> joints)
    : plan_(plan), motion_(motion), joints_(std::move(joints)) {}

double Paths::height() const {
  if (motion_.times_s.size() < 2) return 0;
  for (const std::vector<Vec3>& path : motion_.path_m) {
    if (skel::Length(ExtentOf(path).size()) > kStill_m) return kSectionHeading + kHeight;
  }
  return 0;
}

void Paths::Draw(Canvas& canvas, const Rect& box) const {
  if (height() <= 0) return;
  canvas.Text({box.x, box.y + 20}, "Ways of the joints", {11.5, kInk, Align::kLeft, true});
  DrawTable(canvas, {box.x, box.y + kSectionHeading + 12});
  Extent whole;
  for (const std::vector<Vec3>& path : motion_.path_m) {
    for (const Vec3& p : path) whole.Grow(p);
  }
  for (const Vec3& p : motion_.instants.front().pose.position) whole.Grow(p);
  const double width = (box.w - kTable - kPathGap) / 2;
  const Vec3 size = whole.size();
  // Both views have the same scale.
  const double across = std::max({size.x, size.z, 0.1f});
  const double scale =
      std::min((width - 2 * kInset) / across,
               (kHeight - 2 * kInset) / static_cast<double>(std::max(size.y, 0.1f)));
  double x = box.x + kTable;
  for (View view : kViews) {
    DrawView(
        canvas,
        {{x, box.y + kSectionHeading, width, kHeight}, AxesOf(view), view, whole.middle(), scale});
    x += width + kPathGap;
  }
}

void Paths::DrawView(Canvas& canvas, const Frame& frame) const {
  canvas.FillRect(frame.box, kPanel, 6);
  canvas.Text({frame.box.x + 10, frame.box.y + 18}, NameOf(frame.view),
              {10, kMutedInk, Align::kLeft, true});
  const double bar = 0.25 * frame.points_per_m, foot = frame.box.y + frame.box.h - 12;
  canvas.Line({frame.box.x + 10, foot}, {frame.box.x + 10 + bar, foot}, 1.2, kMutedInk);
  canvas.Text({frame.box.x + 16 + bar, foot + 3}, "25 cm", {9, kMutedInk, Align::kLeft, false});
  canvas.PushClip(frame.box);
  const ModelPose& pose = motion_.instants.front().pose;
  for (const Bone& b : plan_.bones) {
    canvas.Line(frame.At(pose.At(b.from)), frame.At(pose.At(b.to)), 2, kRule);
  }
  for (size_t k = 0; k < joints_.size(); ++k) {
    std::vector<Point> line;
    for (const Vec3& p : motion_.path_m[k]) line.push_back(frame.At(p));
    canvas.Polyline(line, 1.4, WithAlpha(joints_[k].color, 0.75));
    // Omits the numbers of a joint that stays in place, and repeated numbers where a joint rests.
    const double way = skel::Length(ExtentOf(motion_.path_m[k]).size()) * frame.points_per_m;
    Point before{-1e9, -1e9};
    for (size_t i = 0; i < motion_.instants.size(); ++i) {
      const auto joint = static_cast<size_t>(joints_[k].joint);
      const Point at = frame.At(motion_.instants[i].pose.position[joint]);
      canvas.FillCircle(at, 2.4, joints_[k].color);
      if (way < 12 || std::hypot(at.x - before.x, at.y - before.y) < 12) continue;
      canvas.Text({at.x + 4, at.y - 4}, absl::StrCat(i + 1), {8.5, kInk, Align::kLeft, true});
      before = at;
    }
  }
  canvas.PopClip();
}

void Paths::DrawTable(Canvas& canvas, Point at) const {
  const TextStyle small{9.5, kMutedInk, Align::kLeft, false};
  for (size_t k = 0; k < joints_.size(); ++k) {
    const Vec3 size = ExtentOf(motion_.path_m[k]).size() * 100.0f;
    const double y = at.y + 38 * static_cast<double>(k);
    canvas.Capsule({at.x + 4, y - 4}, 3.5, {at.x + 20, y - 4}, 3.5, joints_[k].color);
    canvas.Text({at.x + 32, y}, joints_[k].label, {11, kInk, Align::kLeft, false});
    canvas.Text({at.x + 32, y + 14},
                absl::StrFormat("%.2f m long, within %.1f x %.1f x %.1f cm",
                                LengthOf(motion_.path_m[k]), size.x, size.y, size.z),
                small);
  }
  const double y = at.y + 38 * static_cast<double>(joints_.size());
  canvas.Text({at.x, y}, "Extents: across, up, forward.", small);
  canvas.Text({at.x, y + 14}, "Numbers are the instants over the curves.", small);
  canvas.Text({at.x, y + 28}, "In grey the body at instant 1.", small);
}

}  // namespace posewire::diagram
