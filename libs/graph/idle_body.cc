#include "libs/graph/idle_body.h"

#include <utility>

#include "libs/gesture/neutral_stance.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::Quat;
using skel::Vec3;

// A joint that rotates by less than this per unit of each signal (radians) stays in the stance.
constexpr float kStill = 1e-6f;

}  // namespace

gesture::ArmAngles IdleArm::AnglesOf(const Play& play) {
  const float breath = play.breath, arm = play.arm, hand = play.hand;
  gesture::ArmAngles a = gesture::NeutralArm();
  a[gesture::kClavicleUp] += 1.6f * kDeg * breath;
  a[gesture::kClavicleFront] += 0.5f * kDeg * arm;
  a[gesture::kShoulderX] += kDeg * (1.8f * arm + 0.6f * breath);
  a[gesture::kShoulderZ] += kDeg * (0.8f * hand + 1.3f * breath);
  a[gesture::kElbowFlex] += kDeg * (2.6f * arm + 1.4f * breath);
  a[gesture::kWristFlex] += kDeg * 2.6f * hand;
  for (int f = 0; f < 4; ++f) {
    const auto base = static_cast<size_t>(gesture::kFingers + 3 * f);
    a[base + 1] += kDeg * (2.0f + 0.5f * static_cast<float>(f)) * hand;
    a[base + 2] += kDeg * 2.5f * arm;
  }
  return a;
}

IdleArm::IdleArm(const gesture::Body& body, gesture::Side side, const skel::PoseView& stance) {
  // Half of the rotation between a signal of -1 and of 1.
  std::array<skel::Pose, 3> less, more;
  for (size_t i = 0; i < 3; ++i) {
    Play play;
    float& signal = i == 0 ? play.breath : i == 1 ? play.arm : play.hand;
    for (skel::Pose* pose : {&less[i], &more[i]}) {
      pose->Resize(stance.joints, stance.shapes);
      signal = pose == &less[i] ? -1.0f : 1.0f;
      gesture::PoseArm(body, side, AnglesOf(play), pose->span());
    }
  }
  for (int j = 0; j < stance.joints; ++j) {
    if (!more[0].view().has_r[j] || joints_.size() == kMost) continue;
    const Quat back = Conjugate(stance.rotation(j));
    std::array<Vec3, 3> turns;
    float most = 0;
    for (size_t i = 0; i < 3; ++i) {
      turns[i] = (Log(Mul(back, more[i].view().rotation(j))) -
                  Log(Mul(back, less[i].view().rotation(j)))) *
                 0.5f;
      most = std::max(most, Length(turns[i]));
    }
    if (most < kStill) continue;
    const size_t k = joints_.size();
    joints_.push_back(j);
    w_[k] = stance.qw[j], x_[k] = stance.qx[j], y_[k] = stance.qy[j], z_[k] = stance.qz[j];
    for (size_t i = 0; i < 3; ++i) {
      by_[i][0][k] = turns[i].x / 2, by_[i][1][k] = turns[i].y / 2, by_[i][2][k] = turns[i].z / 2;
    }
  }
}

void IdleArm::Pose(const Play& play, const skel::PoseSpan& out) const {
  const float b = play.breath, a = play.arm, h = play.hand;
  Row w, x, y, z;
  for (size_t k = 0; k < kMost; ++k) {
    const float vx = by_[0][0][k] * b + by_[1][0][k] * a + by_[2][0][k] * h;
    const float vy = by_[0][1][k] * b + by_[1][1][k] * a + by_[2][1][k] * h;
    const float vz = by_[0][2][k] * b + by_[1][2][k] * a + by_[2][2][k] * h;
    // Cosine and sine (divided by the angle) of a small angle.
    const float n = vx * vx + vy * vy + vz * vz;
    const float cos = 1 - n * (0.5f - n * (1.0f / 24 - n * (1.0f / 720)));
    const float sin = 1 - n * (1.0f / 6 - n * (1.0f / 120 - n * (1.0f / 5040)));
    const float sx = vx * sin, sy = vy * sin, sz = vz * sin;
    w[k] = w_[k] * cos - x_[k] * sx - y_[k] * sy - z_[k] * sz;
    x[k] = w_[k] * sx + x_[k] * cos + y_[k] * sz - z_[k] * sy;
    y[k] = w_[k] * sy - x_[k] * sz + y_[k] * cos + z_[k] * sx;
    z[k] = w_[k] * sz + x_[k] * sy - y_[k] * sx + z_[k] * cos;
  }
  for (size_t k = 0; k < joints_.size(); ++k) {
    out.SetRotation(joints_[k], {w[k], x[k], y[k], z[k]});
  }
}

absl::StatusOr<std::shared_ptr<const IdleBody>> IdleBody::Make(
    std::shared_ptr<const skel::Rig> rig) {
  absl::StatusOr<gesture::Body> body = gesture::Body::Make(*rig);
  if (!body.ok()) return body.status();
  absl::StatusOr<skel::Pose> stance = gesture::NeutralStance(*rig);
  if (!stance.ok()) return stance.status();
  auto made = std::make_shared<IdleBody>();
  made->rig = std::move(rig);
  made->body = *std::move(body);
  made->stance = *std::move(stance);
  for (gesture::Side side : {gesture::Side::kLeft, gesture::Side::kRight}) {
    made->arms.emplace_back(made->body, side, made->stance.view());
  }
  static constexpr const char* kLook[] = {"eyeLookInLeft",   "eyeLookOutLeft",  "eyeLookUpLeft",
                                          "eyeLookDownLeft", "eyeLookInRight",  "eyeLookOutRight",
                                          "eyeLookUpRight",  "eyeLookDownRight"};
  for (size_t i = 0; i < made->look.size(); ++i) made->look[i] = made->rig->FindShape(kLook[i]);
  static constexpr const char* kFace[] = {"browInnerUp", "mouthSmileLeft", "mouthSmileRight",
                                          "mouthPressLeft", "mouthPressRight"};
  for (size_t i = 0; i < made->face.size(); ++i) made->face[i] = made->rig->FindShape(kFace[i]);
  return made;
}

}  // namespace posewire::graph
