#include "libs/diagram/stick_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "libs/diagram/palette.h"

namespace posewire::diagram {
namespace {

using skel::Vec3;

// An item to paint; items are painted from the farthest to the nearest.
struct Item {
  double depth;
  int bone;  // -1: the head
};

// Fades farther limbs, so that the viewer sees which limb is in front.
Color Faded(Color c, double depth_m, double height_m) {
  const double t = std::clamp(-depth_m / (0.5 * height_m), 0.0, 0.5);
  return Mix(c, kPaper, t);
}

double PageRadius(double radius_m, const FigurePlacement& place, double least) {
  return std::max(radius_m * place.points_per_m, least);
}

void DrawBone(Canvas& canvas, const Bone& bone, const ModelPose& pose, const FigurePlacement& place,
              double height_m, double halo) {
  const Vec3 from = pose.At(bone.from), to = pose.At(bone.to);
  const Point a = place.OnPage(from), b = place.OnPage(to);
  const double least = bone.part == Part::kHand ? 0.62 : 1.0;
  const double ra = PageRadius(bone.radius_from_m, place, least);
  const double rb = PageRadius(bone.radius_to_m, place, least);
  // The white rim separates crossing limbs. It stays clear of the joints, where bones meet.
  const Point d = b - a;
  const double length = std::hypot(d.x, d.y);
  const double inset = std::max(ra, rb) + halo;
  if (halo > 0 && length > 2.2 * inset) {
    const Point step = d * (inset / length);
    canvas.Capsule(a + step, ra + halo, b - step, rb + halo, kPaper);
  }
  const double depth = (place.Depth(from) + place.Depth(to)) / 2;
  canvas.Capsule(a, ra, b, rb, Faded(SideColor(bone.side), depth, height_m));
}

void DrawTorso(Canvas& canvas, const BodyPlan& plan, const ModelPose& pose,
               const FigurePlacement& place) {
  std::array<Point, 4> corners;
  const int joints[4] = {plan.shoulder[0], plan.shoulder[1], plan.hip[1], plan.hip[0]};
  for (size_t i = 0; i < 4; ++i) {
    if (joints[i] < 0) return;
    corners[i] = place.OnPage(pose.position[static_cast<size_t>(joints[i])]);
  }
  canvas.FillPolygon(corners, WithAlpha(kMiddle, 0.13));
}

// Places points of the head's space (metres from the centre of the oval).
struct HeadFrame {
  HeadFrame(const BodyPlan& plan, const ModelPose& pose)
      : head(plan.head),
        rotation(pose.rotation[static_cast<size_t>(head.joint)]),
        middle(pose.At({head.joint, head.center})) {}
  Vec3 At(Vec3 p) const { return middle + skel::Rotate(rotation, p); }

  const Head& head;
  skel::Quat rotation;
  Vec3 middle;
};

// Returns the half axes of the outline of a rotated ellipsoid in the view: those of the 2 x 2 part
// of R diag(r^2) R^T.
std::array<Point, 2> Outline(const HeadFrame& frame, const FigurePlacement& place) {
  double xx = 0, xy = 0, yy = 0;
  const Vec3 axes[3] = {{frame.head.half_axes.x, 0, 0},
                        {0, frame.head.half_axes.y, 0},
                        {0, 0, frame.head.half_axes.z}};
  for (const Vec3& axis : axes) {
    const Vec3 v = place.axes.Project(skel::Rotate(frame.rotation, axis));
    xx += v.x * v.x, xy += v.x * v.y, yy += v.y * v.y;
  }
  const double middle = (xx + yy) / 2, spread = std::hypot((xx - yy) / 2, xy);
  const double angle = std::atan2(2 * xy, xx - yy) / 2;
  const double major = std::sqrt(middle + spread) * place.points_per_m;
  const double minor = std::sqrt(std::max(middle - spread, 0.0)) * place.points_per_m;
  return {Point{major * std::cos(angle), -major * std::sin(angle)},
          Point{minor * std::sin(angle), minor * std::cos(angle)}};
}

void DrawEyes(Canvas& canvas, const HeadFrame& frame, const ModelPose& pose,
              const FigurePlacement& place) {
  const Vec3 r = frame.head.half_axes;
  for (int i = 0; i < 2; ++i) {
    const float x = (i == 0 ? 0.45f : -0.45f) * r.x;
    // On the surface of the oval, 12 % of its half height above the middle.
    const float y = 0.12f * r.y;
    const float z = r.z * std::sqrt(1 - 0.45f * 0.45f - 0.12f * 0.12f);
    const Vec3 normal = skel::Normalized(Vec3{x / (r.x * r.x), y / (r.y * r.y), z / (r.z * r.z)});
    if (place.axes.Project(skel::Rotate(frame.rotation, normal)).z < 0.05f) continue;
    Vec3 eye = frame.At({x, y, z});
    if (frame.head.eye[i] >= 0) {
      const auto joint = static_cast<size_t>(frame.head.eye[i]);
      const Vec3 rest = skel::Rotate(frame.rotation, {0, 0, 1});
      // Moves the dot with the gaze by an eyeball's radius.
      eye = eye + (skel::Rotate(pose.rotation[joint], {0, 0, 1}) - rest) * 0.016f;
    }
    canvas.FillCircle(place.OnPage(eye), std::max(0.0085 * place.points_per_m, 0.9), kInk);
  }
}

void DrawHead(Canvas& canvas, const BodyPlan& plan, const ModelPose& pose,
              const FigurePlacement& place) {
  const HeadFrame frame(plan, pose);
  const auto axes = Outline(frame, place);
  const double line = std::max(0.010 * place.points_per_m, 1.1);
  const Vec3 r = frame.head.half_axes;
  const bool faces_viewer = place.axes.Project(skel::Rotate(frame.rotation, {0, 0, 1})).z > -0.35f;
  const std::array<Point, 3> nose = {place.OnPage(frame.At({0, 0.10f * r.y, r.z * 0.97f})),
                                     place.OnPage(frame.At({0, -0.20f * r.y, r.z * 1.34f})),
                                     place.OnPage(frame.At({0, -0.29f * r.y, r.z * 0.92f}))};
  const Point middle = place.OnPage(frame.middle);
  canvas.Ellipse(middle, axes[0] * 1.08, axes[1] * 1.08, kPaper, Hex(0, 0), 0);
  if (!faces_viewer) canvas.Polyline(nose, line, kMiddle);
  canvas.Ellipse(middle, axes[0], axes[1], kSkin, kMiddle, line);
  if (faces_viewer) {
    canvas.FillPolygon(nose, kSkin);
    canvas.Polyline(nose, line, kMiddle);
  }
  DrawEyes(canvas, frame, pose, place);
}

}  // namespace

void DrawFigure(Canvas& canvas, const BodyPlan& plan, const ModelPose& pose,
                const FigurePlacement& place) {
  std::vector<Item> items;
  items.reserve(plan.bones.size() + 1);
  for (size_t i = 0; i < plan.bones.size(); ++i) {
    const Bone& bone = plan.bones[i];
    items.push_back({(place.Depth(pose.At(bone.from)) + place.Depth(pose.At(bone.to))) / 2,
                     static_cast<int>(i)});
  }
  if (plan.head.joint >= 0) {
    // The neck ends inside the head, and must never cover it.
    double depth = place.Depth(pose.At({plan.head.joint, plan.head.center}));
    for (const Item& item : items) {
      const Part part = plan.bones[static_cast<size_t>(item.bone)].part;
      if (part == Part::kSpine) depth = std::max(depth, item.depth);
    }
    items.push_back({depth, -1});
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.depth < b.depth; });
  DrawTorso(canvas, plan, pose, place);
  const double halo = std::max(0.008 * place.points_per_m, 0.8);
  for (const Item& item : items) {
    if (item.bone < 0) {
      DrawHead(canvas, plan, pose, place);
      continue;
    }
    const Bone& bone = plan.bones[static_cast<size_t>(item.bone)];
    DrawBone(canvas, bone, pose, place, plan.height_m, bone.part == Part::kHand ? 0.35 : halo);
  }
}

namespace {

bool BelongsToHand(const BodyPlan& plan, const Bone& bone, int side) {
  const Side wanted = side == 0 ? Side::kLeft : Side::kRight;
  if (bone.side != wanted) return false;
  return bone.part == Part::kHand || bone.to.joint == plan.wrist[side];
}

}  // namespace

void DrawHand(Canvas& canvas, const BodyPlan& plan, const ModelPose& pose, int side,
              const FigurePlacement& place) {
  if (plan.wrist[side] < 0) return;
  std::vector<Item> items;
  for (size_t i = 0; i < plan.bones.size(); ++i) {
    const Bone& bone = plan.bones[i];
    if (!BelongsToHand(plan, bone, side)) continue;
    items.push_back({(place.Depth(pose.At(bone.from)) + place.Depth(pose.At(bone.to))) / 2,
                     static_cast<int>(i)});
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.depth < b.depth; });
  for (const Item& item : items) {
    Bone bone = plan.bones[static_cast<size_t>(item.bone)];
    // Thinner than on the body, so that the fingers stay separate.
    bone.radius_from_m *= 0.72f;
    bone.radius_to_m *= 0.72f;
    DrawBone(canvas, bone, pose, place, 0.7, 0.9);
  }
}

skel::Vec3 HandCenter(const BodyPlan& plan, const ModelPose& pose, int side) {
  const Vec3 wrist = pose.position[static_cast<size_t>(plan.wrist[side])];
  Vec3 sum = wrist;
  float n = 1;
  for (const Bone& bone : plan.bones) {
    if (bone.part != Part::kHand || !BelongsToHand(plan, bone, side)) continue;
    sum = sum + pose.At(bone.to);
    n += 1;
  }
  return sum * (1 / n);
}

ViewAxes FacingPalm(const BodyPlan& plan, const ModelPose& pose, int side, const ViewAxes& view) {
  const int joints[3] = {plan.wrist[side], plan.index[side], plan.little[side]};
  Vec3 at[3];
  for (int i = 0; i < 3; ++i) {
    if (joints[i] < 0) return view;
    at[i] = pose.position[static_cast<size_t>(joints[i])];
  }
  Vec3 normal = skel::Normalized(skel::Cross(at[1] - at[0], at[2] - at[0]));
  if (skel::Length(normal) < 0.5f) return view;
  // Shows a palm seen edge-on from outside, away from the body.
  const Vec3 outward = view.right * (side == 0 ? 0.25f : -0.25f) + view.up * 0.1f;
  if (skel::Dot(normal, view.toward + outward) < 0) normal = normal * -1;
  Vec3 up = view.up - normal * skel::Dot(view.up, normal);
  if (skel::Length(up) < 0.35f) up = (view.toward - normal * skel::Dot(view.toward, normal)) * -1;
  up = skel::Normalized(up);
  return {skel::Cross(up, normal), up, normal};
}

void GrowExtent(const BodyPlan& plan, const ModelPose& pose, const ViewAxes& axes, Vec3 center,
                Vec3& low, Vec3& high) {
  const auto grow = [&](Vec3 p, Vec3 margin) {
    const Vec3 v = axes.Project(p - center);
    low = {std::min(low.x, v.x - margin.x), std::min(low.y, v.y - margin.y),
           std::min(low.z, v.z - margin.z)};
    high = {std::max(high.x, v.x + margin.x), std::max(high.y, v.y + margin.y),
            std::max(high.z, v.z + margin.z)};
  };
  for (const Bone& bone : plan.bones) {
    const float r = std::max(bone.radius_from_m, bone.radius_to_m);
    grow(pose.At(bone.from), {r, r, r});
    grow(pose.At(bone.to), {r, r, r});
  }
  if (plan.head.joint >= 0) {
    const float r = plan.head.half_axes.y * 1.15f;
    grow(pose.At({plan.head.joint, plan.head.center}), {r, r, r});
  }
}

}  // namespace posewire::diagram
