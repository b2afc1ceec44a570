#include "libs/graph/look_at_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/graph/small_math.h"
#include "libs/skel/additive_job.h"
#include "libs/skel/limit_job.h"
#include "libs/skel/model_place.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::kPi;
using skel::Quat;
using skel::Vec3;

// Averaging times of animated heads and eyes, from whose mean they are turned.
constexpr float kHeadMean_s = 0.5f, kEyeMean_s = 1.0f;
// How much of the eyes' own animation is kept.
constexpr float kOwnPlay = 1.1f * kDeg;
// Vertical range of the groups as a fraction of the horizontal one.
constexpr float kUpright = 0.7f;
// Stiffness of the groups (1/s), from the lowest to the head, and maximum acceleration.
constexpr float kLowestStiff = 5.5f, kHeadStiff = 8, kMostGazePush = 1400 * kDeg;
// A user looks at a place within this angle of the line of sight; slightly more once they do.
constexpr float kLooksWithin = 9 * kDeg, kLooksOnWithin = 13 * kDeg;

// Time in which the gaze appears and disappears.
constexpr float kWeight_s = 0.35f;
// Targets further around than this are gradually released.
constexpr float kAhead = 130 * kDeg, kBehind = 170 * kDeg;

TargetFollower NewFollower() { return TargetFollower(0.05, 1e6f, 0.25f); }

// Returns the rotation from a heading `from` by `by`, keeping upright.
Quat TurnBy(float from, LookAngles by) {
  return Mul(skel::FromAxisAngle({0, 1, 0}, from + by.left),
             Mul(skel::FromAxisAngle({1, 0, 0}, -by.up), skel::FromAxisAngle({0, 1, 0}, -from)));
}

// Widens a limit so that it includes the animation.
skel::JointLimit Widened(skel::JointLimit l, Vec3 v) {
  l.min = {std::min(l.min.x, v.x), std::min(l.min.y, v.y), std::min(l.min.z, v.z)};
  l.max = {std::max(l.max.x, v.x), std::max(l.max.y, v.y), std::max(l.max.z, v.z)};
  return l;
}

Quat Held(const skel::Rig& rig, int joint, Quat animated, Quat turned) {
  if (rig.limits().empty()) return turned;
  const Quat rest = rig.rest().rotation(joint);
  if (SurelyWithin(rig.limits()[static_cast<size_t>(joint)], Mul(Conjugate(rest), turned))) {
    return turned;
  }
  const skel::JointLimit limit =
      Widened(rig.limits()[static_cast<size_t>(joint)], SwingTwist(Mul(Conjugate(rest), animated)));
  return Mul(rest,
             skel::FromSwingTwist(skel::ClampedSwingTwist(limit, Mul(Conjugate(rest), turned))));
}

}  // namespace

std::vector<LookAtSettings::Group> UsualLookGroups(const BodyParts& parts) {
  std::vector<LookAtSettings::Group> groups;
  if (!parts.spine.empty()) groups.push_back({parts.spine, 0.25, 28, 60});
  if (!parts.neck.empty()) groups.push_back({parts.neck, 0.3, 32, 110});
  if (parts.head >= 0) groups.push_back({{parts.head}, 0.45, 38, 160});
  return groups;
}

LookAtNode::LookAtNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
                       LookAtSettings settings)
    : PassNode(std::move(below)),
      parts_(std::move(parts)),
      settings_(std::move(settings)),
      eyes_(parts_.get()) {
  state_.followers.assign(settings_.targets.size(), NewFollower());
  state_.carried.resize(settings_.targets.size());
  state_.sites.resize(settings_.targets.size());
  state_.candidates.resize(settings_.targets.size());
  state_.springs.resize(settings_.groups.size());
  state_.pose_weights.resize(settings_.poses.size());
  for (const Target& target : settings_.targets) {
    const auto first = std::find_if(settings_.targets.begin(), settings_.targets.end(),
                                    [&](const Target& t) { return t.name == target.name; });
    group_.push_back(static_cast<int>(first - settings_.targets.begin()));
  }
  for (const auto& group : settings_.groups) shares_ += group.share;
  people_only_ =
      std::all_of(settings_.targets.begin(), settings_.targets.end(),
                  [](const Target& t) { return t.of_user() || t.kind == Target::Kind::kAvatar; });
  for (int j = parts_->head; j >= 0; j = parts_->rig->topology().parent(j)) path_.push_back(j);
  std::reverse(path_.begin(), path_.end());
  above_.resize(static_cast<size_t>(parts_->rig->joints()));
  const auto head = static_cast<size_t>(parts_->head);
  const Quat back = Conjugate(parts_->rest_turn[head]);
  for (size_t side = 0; side < 2; ++side) {
    const int eye = parts_->eyes[side];
    eye_offset_[side] =
        eye < 0 ? parts_->between_eyes
                : Rotate(back, parts_->rest_at[static_cast<size_t>(eye)] - parts_->rest_at[head]);
  }
  const skel::Rig& rig = *parts_->rig;
  for (const auto& look : settings_.poses) {
    skel::Pose pose(rig.joints(), rig.shapes());
    pose.span().ClearPresence();
    look.clip->Sample(0, pose.span());
    skel::MakeAdditiveJob{pose.view(), rig.rest(), pose.span()}.Run();
    // The eyes themselves are turned to the target.
    for (int eye : parts_->eyes) {
      if (eye >= 0) pose.span().has_r[eye] = 0;
    }
    for (int s = 0; s < rig.shapes(); ++s) {
      if (eyes_.IsLookShape(s)) pose.span().has_w[s] = 0;
    }
    look_deltas_.push_back(std::move(pose));
  }
}

void LookAtNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const LookAtNode*>(&old);
  if (other == nullptr || !other->state_.active) return;
  State taken = other->state_;
  // Targets are matched by name, if they have one; groups and poses by index.
  taken.candidates.assign(settings_.targets.size(), {});
  int turn = -1;
  for (size_t i = 0; i < settings_.targets.size(); ++i) {
    state_.followers[i] = NewFollower();
    for (size_t k = 0; k < other->settings_.targets.size(); ++k) {
      const Target &a = settings_.targets[i], &b = other->settings_.targets[k];
      if (a.kind == b.kind && a.name == b.name && a.who == b.who && a.nth == b.nth) {
        state_.followers[i] = other->state_.followers[k];
        if (other->IsLookedAt(k)) turn = static_cast<int>(i);
      }
    }
  }
  taken.turns.Renumber(turn);
  taken.followers = std::move(state_.followers);
  taken.carried.assign(settings_.targets.size(), {});
  taken.sites.assign(settings_.targets.size(), {});
  taken.springs.resize(settings_.groups.size());
  taken.pose_weights.resize(settings_.poses.size());
  state_ = std::move(taken);
}

float LookAtNode::GoalWeight(const TickContext& ctx, size_t target) const {
  if (state_.contact.leading() && settings_.lead_to >= 0) {
    return static_cast<int>(target) == settings_.lead_to ? 1.0f : 0.0f;
  }
  const double weight = settings_.targets[target].weight.value();
  if (settings_.variable >= 0) {
    const auto choice = static_cast<size_t>(ctx.variables->choice(settings_.variable));
    if (settings_.target_of_choice[choice] != group_[target]) return 0;
  } else if (static_cast<int>(target) == settings_.lead_to && settings_.targets.size() > 1) {
    return 0;  // only for leading
  }
  return weight > 0 ? static_cast<float>(std::min(weight, 1.0)) : 0.0f;
}

void LookAtNode::Update(const TickContext& ctx, float weight) {
  settings_.weight.Step(ctx);
  for (Target& target : settings_.targets) target.weight.Step(ctx);
  below().Update(ctx, weight);
}

bool LookAtNode::UserLooks(const TickContext& ctx, Vec3 at, bool before) const {
  for (const UserInput& user : ctx.inputs->users) {
    if (!user.has_head) continue;
    const Vec3 to = at - user.head;
    const Vec3 looks =
        user.has_gaze ? user.gaze - user.head : Rotate(user.head_rotation, {0, 0, 1});
    if (Length(to) < 1e-3f || Length(looks) < 1e-3f) continue;
    const float angle = std::atan2(Length(Cross(looks, to)), Dot(looks, to));
    if (angle < (before ? kLooksOnWithin : kLooksWithin)) return true;
  }
  return false;
}

void LookAtNode::StepContact(const TickContext& ctx) {
  bool led = false;
  if (settings_.contact.look_back_s > 0) {
    state_.looked_at = UserLooks(ctx, state_.eye_at, state_.looked_at);
    if (settings_.lead_to >= 0) {
      const auto& lead = state_.followers[static_cast<size_t>(settings_.lead_to)];
      led = lead.presence() > 0 && UserLooks(ctx, lead.at(), true);
    }
  }
  state_.contact.Step(settings_.contact, ctx.dt_s, state_.looked_at, led, *ctx.rng);
}

// Returns whether no visible part of a look remains.
bool LookAtNode::AtRest() const {
  return state_.total.value() == 0 && Length(state_.pose_way) < 2e-3f &&
         std::all_of(state_.springs.begin(), state_.springs.end(), [](const Spring& s) {
           return Length(s.at) < 1e-4f && Length(s.speed) < 1e-3f && Length(Log(s.turn)) < 2e-4f;
         });
}

void LookAtNode::Sleep() {
  state_.active = false;
  std::fill(state_.carried.begin(), state_.carried.end(), Vec3{});
  state_.total = EasedWeight(kWeight_s);
  for (TargetFollower& f : state_.followers) f = NewFollower();
}

skel::Placement LookAtNode::WalkToHead(const skel::PoseView& pose) {
  const skel::PoseView& rest = parts_->rig->rest();
  skel::Placement p;
  for (int j : path_) {
    above_[static_cast<size_t>(j)] = p.turn;
    p.at = p.at + Rotate(p.turn, pose.has_t[j] ? pose.translation(j) : rest.translation(j));
    p.turn = Mul(p.turn, pose.has_r[j] ? pose.rotation(j) : rest.rotation(j));
  }
  return p;
}

LookAtNode::Head LookAtNode::ReadHead(const skel::PoseView& pose) {
  const skel::Placement at = WalkToHead(pose);
  const Quat turn = Mul(at.turn, Conjugate(parts_->rest_turn[static_cast<size_t>(parts_->head)]));
  Head head;
  head.eye_at = at.at + Rotate(at.turn, parts_->between_eyes);
  head.animated = AnglesOf(Rotate(turn, {0, 0, 1}));
  for (int side : {0, 1}) {
    head.eyes[static_cast<size_t>(side)] =
        eyes_.FromShapes(pose, side) + eyes_.FromJoints(pose, side);
  }
  return head;
}

void LookAtNode::Begin(const Head& head) {
  state_.active = true;
  std::fill(state_.springs.begin(), state_.springs.end(), Spring{});
  std::fill(state_.pose_weights.begin(), state_.pose_weights.end(), 0.0f);
  state_.reference = state_.bare_reference = state_.wanted = head.animated;
  state_.eye_reference = (head.eyes[0] + head.eyes[1]) * 0.5f;
  state_.eyes = head.eyes;
  state_.pose_way = {};
  state_.eye_at = head.eye_at;
  state_.ahead = EasedWeight(kWeight_s);
}

void LookAtNode::StepTargets(const TickContext& ctx, const skel::PoseView& pose) {
  float seen = 0;
  const auto dt = static_cast<float>(ctx.dt_s);
  for (size_t i = 0; i < settings_.targets.size(); ++i) {
    const Target& target = settings_.targets[i];
    const auto at = Locate(target, ctx, *parts_->rig, pose);
    TargetFollower& follower = state_.followers[i];
    GazeCandidate& candidate = state_.candidates[i];
    const Vec3 before = follower.at();
    const bool stayed = follower.presence() > 0;
    follower.Step(at, ctx.dt_s);
    candidate.weight = 0;
    candidate.face = target.kind == Target::Kind::kUserHead || target.kind == Target::Kind::kAvatar;
    candidate.speed_m_s = stayed && dt > 0 ? Length(follower.at() - before) / dt : 0;
    if (!at) continue;
    candidate.weight = GoalWeight(ctx, i);
    seen += candidate.weight;
    state_.sites[i] = *at;
  }
  state_.turns.Step(absl::MakeSpan(state_.candidates), dt, *ctx.rng);
  state_.total.Step(std::min(seen, 1.0f) * settings_.weight.value(), ctx.dt_s);
}

void LookAtNode::FindWanted(const TickContext& ctx, const Head& head) {
  LookAngles sum;
  float weights = 0, nearness = 0;
  for (size_t i = 0; i < settings_.targets.size(); ++i) {
    if (!IsLookedAt(i)) continue;
    const TargetFollower& follower = state_.followers[i];
    const float w = GoalWeight(ctx, i) * follower.presence();
    if (w <= 0) continue;
    const Vec3 to = follower.at() + state_.carried[i] - head.eye_at;
    LookAngles angles = AnglesOf(to);
    // Behind the back, the direction of the previous moment is kept for a while.
    const float base = state_.wanted.left, front = state_.reference.left;
    angles.left = base + Wrapped(angles.left - base);
    if (std::fabs(angles.left - front) > 1.2f * kPi) {
      angles.left = front + Wrapped(angles.left - front);
    }
    sum = sum + angles * w;
    nearness += w / std::max(Length(to), 0.15f);
    weights += w;
  }
  if (weights <= 1e-4f) return;
  state_.wanted = sum * (1 / weights);
  state_.nearness = nearness / weights;
}

void LookAtNode::AddLookPoses(float dt_s, const skel::PoseSpan& out) {
  if (settings_.poses.empty()) return;
  const LookAngles way =
      (state_.wanted - state_.bare_reference) * (state_.total.value() * state_.ahead.value());
  state_.pose_way = state_.pose_way + (way - state_.pose_way) * Share(dt_s, 0.15f);
  // Weights by inverse distance (Shepard 1968); straight ahead has no look pose.
  constexpr float kPoint = 1e-4f;
  const auto near = [&](LookAngles at) {
    const float d = Length(state_.pose_way - at);
    return 1 / (d * d + kPoint);
  };
  float sum = near({});
  for (size_t i = 0; i < settings_.poses.size(); ++i) {
    const auto& p = settings_.poses[i];
    state_.pose_weights[i] = near(
        LookAngles{static_cast<float>(p.left_deg) * kDeg, static_cast<float>(p.up_deg) * kDeg});
    sum += state_.pose_weights[i];
  }
  for (size_t i = 0; i < settings_.poses.size(); ++i) {
    state_.pose_weights[i] /= sum;
    if (state_.pose_weights[i] < 1e-3f) continue;
    skel::AdditiveJob job;
    job.below = out, job.delta = look_deltas_[i].view(), job.out = out;
    job.weight = state_.pose_weights[i];
    job.Run();
  }
}

// Each group takes its share within its limit; the rest goes to groups with range left.
void LookAtNode::ShareOut(LookAngles demand) {
  for (Spring& s : state_.springs) s.goal = {};
  if (shares_ <= 0) return;
  const auto whole = static_cast<float>(std::min(shares_, 1.0));
  LookAngles left = demand * whole;
  for (int round = 0; round < 3; ++round) {
    double open = 0;
    for (size_t i = 0; i < state_.springs.size(); ++i) {
      const float limit = static_cast<float>(settings_.groups[i].limit_deg) * kDeg;
      if (Length(state_.springs[i].goal) < limit * 0.999f) open += settings_.groups[i].share;
    }
    if (open <= 0 || Length(left) < 1e-4f) return;
    LookAngles rest;
    for (size_t i = 0; i < state_.springs.size(); ++i) {
      const auto& group = settings_.groups[i];
      LookAngles& goal = state_.springs[i].goal;
      const float limit = static_cast<float>(group.limit_deg) * kDeg;
      if (Length(goal) >= limit * 0.999f) continue;
      const LookAngles asked = goal + left * static_cast<float>(group.share / open);
      LookAngles given = asked;
      given.up = std::clamp(given.up, -kUpright * limit, kUpright * limit);
      given = Shortened(given, limit);
      goal = given;
      rest = rest + (asked - given);
    }
    left = rest;
  }
}

void LookAtNode::StepSprings(float dt_s) {
  const int steps = std::clamp(static_cast<int>(std::ceil(dt_s * 120)), 1, 60);
  const float dt = std::min(dt_s, 0.5f) / static_cast<float>(steps);
  const auto count = static_cast<float>(std::max<size_t>(state_.springs.size(), 2) - 1);
  for (size_t i = 0; i < state_.springs.size(); ++i) {
    Spring& s = state_.springs[i];
    const float stiff = kLowestStiff + (kHeadStiff - kLowestStiff) * static_cast<float>(i) / count;
    const float most = static_cast<float>(settings_.groups[i].speed_deg_s) * kDeg;
    for (int k = 0; k < steps; ++k) {
      const LookAngles push =
          Shortened((s.goal - s.at) * (stiff * stiff) - s.speed * (2 * stiff), kMostGazePush);
      s.speed = Shortened(s.speed + push * dt, most);
      s.at = s.at + s.speed * dt;
    }
  }
}

void LookAtNode::TurnGroups(float dt_s, const Head& head, const skel::PoseSpan& out) {
  const skel::Rig& rig = *parts_->rig;
  // Each rotation is applied in model space after those of the groups above it, so each starts from
  // the heading that they have produced.
  float heading = head.animated.left;
  for (size_t i = state_.springs.size(); i-- > 0;) {
    const LookAngles by = state_.springs[i].at;
    const auto& joints = settings_.groups[i].joints;
    // The groups above change the vertical axis; this change is also limited to the group's speed.
    Quat& shown = state_.springs[i].turn;
    const Vec3 way = Log(Mul(Conjugate(shown), TurnBy(heading, by)));
    // Slightly less than the speed, because a rotation along a joint's limits becomes longer.
    const float most = 0.94f * static_cast<float>(settings_.groups[i].speed_deg_s) * kDeg * dt_s;
    const float size = Length(way);
    shown = Normalized(Mul(shown, skel::Exp(size > most ? way * (most / size) : way)));
    heading += by.left;
    if (Length(Log(shown)) < 1e-5f) continue;
    Quat part = shown;
    if (joints.size() > 1) part = skel::Exp(Log(part) * (1 / static_cast<float>(joints.size())));
    for (int j : joints) {
      const Quat animated = out.has_r[j] ? out.rotation(j) : rig.rest().rotation(j);
      const Quat above = above_[static_cast<size_t>(j)];
      const Quat turned = Normalized(Mul(Mul(Mul(Conjugate(above), part), above), animated));
      out.SetRotation(j, Normalized(Held(rig, j, animated, turned)));
    }
  }
}

Vec3 LookAtNode::CarrySites(const TickContext& ctx, const skel::PoseView& out) {
  Vec3 moved;
  float weights = 0;
  for (size_t i = 0; i < settings_.targets.size(); ++i) {
    const Target& target = settings_.targets[i];
    const float w = IsLookedAt(i) ? GoalWeight(ctx, i) * state_.followers[i].presence() : 0.0f;
    weights += w;
    if (target.kind != Target::Kind::kSite) continue;
    const auto now = Locate(target, ctx, *parts_->rig, out);
    if (!now) continue;
    const Vec3 carried = *now - state_.sites[i];
    moved = moved + (carried - state_.carried[i]) * w;
    state_.carried[i] = carried;
  }
  return weights > 1e-4f ? moved * (1 / weights) : Vec3{};
}

void LookAtNode::TurnEyes(float dt_s, const Head& head, float weight, Vec3 moved,
                          const skel::PoseSpan& out) {
  const skel::Placement at = WalkToHead(out);
  const Quat back = Mul(parts_->rest_turn[static_cast<size_t>(parts_->head)], Conjugate(at.turn));
  state_.eye_at = at.at + Rotate(at.turn, parts_->between_eyes);
  const LookAngles mean = (head.eyes[0] + head.eyes[1]) * 0.5f, play = mean - state_.eye_reference;
  LookAngles way = state_.wanted + state_.contact.aside() + state_.contact.dart();
  if (head.authored) way = way + (head.animated + mean - *head.authored);
  const Vec3 target = head.eye_at + DirectionOf(way) * (1 / state_.nearness) + moved;

  state_.eye_reference = state_.eye_reference + play * Share(dt_s, kEyeMean_s);
  const float size = Length(play);
  const LookAngles own = size > 1e-6f && !head.authored
                             ? play * (kOwnPlay * std::tanh(size / kOwnPlay) / size)
                             : LookAngles{};

  const float limit = static_cast<float>(settings_.eye_limit_deg) * kDeg;
  const float most = static_cast<float>(settings_.eye_speed_deg_s) * kDeg * dt_s;
  for (int side : {0, 1}) {
    const auto i = static_cast<size_t>(side);
    const Vec3 to = target - (at.at + Rotate(at.turn, eye_offset_[i]));
    const LookAngles want = Shortened(AnglesOf(Rotate(back, to)) + own, limit);
    LookAngles& eye = state_.eyes[i];
    eye = eye + Shortened(want - eye, most);
    const LookAngles shown = head.eyes[i] + (eye - head.eyes[i]) * weight;
    // Either shapes or joints carry the gaze; of the other only the part that is not replaced yet
    // remains.
    if (settings_.eye_joints) {
      const LookAngles stays = eyes_.FromShapes(out, side) * (1 - weight);
      if (eyes_.has_shapes()) eyes_.ToShapes(stays, side, out);
      eyes_.ToJoints(shown - stays, side, out);
    } else {
      const LookAngles stays = eyes_.FromJoints(out, side) * (1 - weight);
      eyes_.ToJoints(stays, side, out);
      eyes_.ToShapes(shown - stays, side, out);
    }
  }
}

void LookAtNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  if (!state_.active && settings_.weight.value() <= 0) return;
  const bool nobody = ctx.inputs->users.empty() && ctx.inputs->neighbours.empty();
  if (state_.quiet && nobody) return;
  StepTargets(ctx, out);
  state_.quiet = false;
  if (!state_.active && state_.total.value() == 0) {
    state_.quiet = people_only_ && nobody &&
                   std::all_of(state_.followers.begin(), state_.followers.end(),
                               [](const TargetFollower& f) { return f.presence() == 0; });
    return;
  }
  Head head = ReadHead(out);
  if (!state_.active) Begin(head);
  const auto dt = static_cast<float>(std::min(ctx.dt_s, 0.5));
  auto authored_at = Locate(settings_.authored_at, ctx, *parts_->rig, out);
  const Vec3* const camera = settings_.authored_at_cameras ? below().camera_at() : nullptr;
  if (camera != nullptr) authored_at = *camera;
  if (authored_at) head.authored = AnglesOf(*authored_at - head.eye_at);
  const auto follow = [&](LookAngles& mean) {
    if (head.authored) {
      mean = *head.authored;
      return;
    }
    mean.left += Wrapped(head.animated.left - mean.left) * Share(dt, kHeadMean_s);
    mean.up += (head.animated.up - mean.up) * Share(dt, kHeadMean_s);
  };
  StepContact(ctx);
  FindWanted(ctx, head);
  if (!settings_.poses.empty()) {
    follow(state_.bare_reference);
    AddLookPoses(dt, out);
    const Vec3 eye_at = head.eye_at;
    const std::optional<LookAngles> authored = head.authored;
    head = ReadHead(out);
    head.eye_at = eye_at;  // `wanted` was computed from here
    head.authored = authored;
  }
  follow(state_.reference);

  const LookAngles off = state_.wanted - state_.reference;
  const float behind = std::clamp((std::fabs(off.left) - kAhead) / (kBehind - kAhead), 0.0f, 1.0f);
  state_.ahead.Step(1 - behind, ctx.dt_s);
  const float weight = state_.total.value() * state_.ahead.value();
  // The remaining angle when eyes use a comfortable half of their range.
  const LookAngles demand = off + state_.contact.aside();
  const float size = Length(demand);
  const float ease = 0.5f * static_cast<float>(settings_.eye_limit_deg) * kDeg;
  float beyond = size > 1e-6f ? 1 - ease * std::tanh(size / ease) / size : 0;
  if (head.authored) beyond = 1;  // the eyes need their range for their own animation
  ShareOut(demand * (beyond * weight));
  StepSprings(dt);
  TurnGroups(dt, head, out);
  TurnEyes(dt, head, weight, CarrySites(ctx, out), out);
  if (AtRest()) Sleep();
}

}  // namespace posewire::graph
