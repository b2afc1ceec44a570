#include "libs/graph/user_pose_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/string_view.h"
#include "libs/graph/small_math.h"
#include "libs/graph/target.h"
#include "libs/skel/limit_job.h"
#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;

constexpr float kDegrees = 57.29577951f;
// Seconds: to learn a neutral, to adapt it, and after which it is forgotten.
constexpr float kLearn_s = 3, kKeepLearning_s = 30, kForget_s = 5;
// Largest copied motion of a head and of a hand, and rate of smoothing (1/s).
constexpr float kMostHead = 0.7f, kMostHand_m = 0.6f, kCopy_hz = 14;
constexpr float kMostArmTurn_rad_s = 12;

uint64_t HashOf(absl::string_view name) {
  uint64_t h = 1469598103934665603ull;  // FNV-1a
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h;
}

bool Finite(Quat q) { return std::isfinite(Dot(q, q)) && Dot(q, q) > 0.5f; }

// Limits the length smoothly to `most`.
Vec3 Bounded(Vec3 v, float most) {
  const float n = Length(v);
  return n > 1e-6f ? v * (most * std::tanh(n / most) / n) : v;
}

// Returns only the rotation about the vertical.
Quat HeadingTurn(Quat q) {
  const Vec3 front = Rotate(q, {0, 0, 1});
  return skel::FromAxisAngle({0, 1, 0}, std::atan2(front.x, front.z));
}

}  // namespace

void UserPoseNode::Soft::Step(Vec3 goal, float dt_s) {
  FollowDamped(goal, kCopy_hz, dt_s, at, speed);
}

UserPoseNode::UserPoseNode(std::shared_ptr<const BodyParts> parts, UserPoseSettings settings)
    : parts_(std::move(parts)), settings_(std::move(settings)) {}

void UserPoseNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const UserPoseNode*>(&old);
  if (other != nullptr) state_ = other->state_;
}

void UserPoseNode::Learn(const UserInput& user, float dt_s) {
  const auto learn = [dt_s](Learned& l, Quat turn, Vec3 at) {
    // At first a mean of all samples, then one that adapts slowly.
    l.seconds = std::min(l.seconds + dt_s, kLearn_s);
    const float over = l.seconds < kLearn_s ? l.seconds : kKeepLearning_s;
    const float share = over > 0 ? std::clamp(dt_s / over, 0.0f, 1.0f) : 1;
    l.turn = share == 1 ? turn : skel::Nlerp(l.turn, turn, share);
    l.at = Lerp(l.at, at, share);
  };
  learn(state_.head, user.head_rotation, {});
  const Quat heading = Conjugate(HeadingTurn(state_.head.turn));
  const Vec3 hands[2] = {user.left_hand, user.right_hand};
  const bool has[2] = {user.has_left_hand, user.has_right_hand};
  for (size_t side = 0; side < 2; ++side) {
    const Vec3 at = Rotate(heading, hands[side] - user.head);
    if (has[side] && Finite(at)) learn(state_.hands[side], {}, at);
  }
}

void UserPoseNode::Update(const TickContext& ctx, float weight) {
  (void)weight;
  settings_.strength.Step(ctx);
  const auto dt = static_cast<float>(std::clamp(ctx.dt_s, 0.0, 0.5));
  const UserInput* user = FindUser(*ctx.inputs, settings_.user);
  if (user != nullptr && !(user->has_head && Finite(user->head) && Finite(user->head_rotation))) {
    user = nullptr;
  }
  Vec3 head, hands[2];
  if (user == nullptr) {
    state_.away_s += dt;
  } else {
    const uint64_t who = HashOf(user->name);
    if (!state_.known || who != state_.who || state_.away_s > kForget_s) {
      state_.head = {};
      state_.hands = {};
    }
    state_.known = true, state_.who = who, state_.away_s = 0;
    Learn(*user, dt);
    const auto sure = [](const Learned& l) { return std::min(l.seconds / kLearn_s, 1.0f); };
    head = Log(Mul(Conjugate(state_.head.turn), Normalized(user->head_rotation)));
    head = Bounded(head, kMostHead) * sure(state_.head);
    if (settings_.image_wise) head = {head.x, -head.y, -head.z};
    const Quat heading = Conjugate(HeadingTurn(state_.head.turn));
    for (size_t side = 0; side < 2; ++side) {
      if (!(side == 0 ? user->has_left_hand : user->has_right_hand)) continue;
      const Vec3 at =
          Rotate(heading, (side == 0 ? user->left_hand : user->right_hand) - user->head);
      if (!Finite(at)) continue;
      Vec3 off = Bounded(at - state_.hands[side].at, kMostHand_m) * sure(state_.hands[side]);
      if (settings_.image_wise) off.x = -off.x;
      hands[settings_.image_wise ? 1 - side : side] = off;
    }
  }
  state_.shown_head.Step(head, dt);
  for (size_t side = 0; side < 2; ++side) state_.shown_hands[side].Step(hands[side], dt);
  if (settings_.tilt_variable >= 0) {
    const Vec3 up = Rotate(skel::Exp(state_.shown_head.at), {0, 1, 0});
    const VariableSpec& spec = ctx.variables->set().spec(settings_.tilt_variable);
    const double tilt = std::atan2(up.x, up.y) * kDegrees;
    ctx.variables->Settle(settings_.tilt_variable, {std::clamp(tilt, spec.min, spec.max), {}});
  }
}

void UserPoseNode::TurnHead(const skel::PoseSpan& out) const {
  const skel::Rig& rig = *parts_->rig;
  const auto strength = static_cast<float>(std::clamp(settings_.strength.value(), 0.0, 2.0));
  const Vec3 turn = state_.shown_head.at * strength;
  // Slightly more than half is the head's.
  const auto count = static_cast<float>(parts_->neck.size());
  const float of_head = parts_->neck.empty() ? 1 : 0.55f;
  const auto set = [&](int j, float share) {
    out.SetRotation(j, LimitedRotation(rig, j, parts_->LocalOf(j, skel::Exp(turn * share))));
  };
  for (int j : parts_->neck) set(j, (1 - of_head) / count);
  if (parts_->head >= 0) set(parts_->head, of_head);
}

void UserPoseNode::MoveArm(size_t side, float dt_s, const skel::PoseSpan& out) {
  const skel::Rig& rig = *parts_->rig;
  const BodyParts::Limb& arm = parts_->arms[side];
  if (!arm.complete()) return;
  const auto strength = static_cast<float>(std::clamp(settings_.strength.value(), 0.0, 2.0));
  const int joints[2] = {arm.start, arm.middle};
  for (int j : joints) out.SetRotation(j, rig.rest().rotation(j));
  const Vec3 off = state_.shown_hands[side].at * strength;
  if (Length(off) > 1e-5f) {
    skel::TwoBoneIkJob job;
    job.rig = &rig;
    job.start = arm.start, job.middle = arm.middle, job.end = arm.end;
    job.hinge = arm.hinge;
    // Scales the arms by the avatar's height.
    job.target = parts_->rest_at[static_cast<size_t>(arm.end)] + off * (parts_->height_m / 1.7f);
    job.soft = 0.05f;
    job.pose = out;
    job.Run();
  }
  for (size_t i = 0; i < 2; ++i) {
    const Quat rest = rig.rest().rotation(joints[i]);
    const Quat want = LimitedRotation(rig, joints[i], out.rotation(joints[i]));
    Quat& shown = state_.arms[side][i];
    const Vec3 way = Log(Mul(Conjugate(shown), Mul(Conjugate(rest), want)));
    const float most = kMostArmTurn_rad_s * dt_s, length = Length(way);
    shown = Normalized(Mul(shown, skel::Exp(length > most ? way * (most / length) : way)));
    out.SetRotation(joints[i], Normalized(Mul(rest, shown)));
  }
}

void UserPoseNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  out.ClearPresence();
  TurnHead(out);
  if (!settings_.hands) return;
  for (size_t side = 0; side < 2; ++side) {
    MoveArm(side, static_cast<float>(std::clamp(ctx.dt_s, 0.0, 0.5)), out);
  }
}

}  // namespace posewire::graph
