#include "libs/graph/self_collision_node.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "libs/skel/model_place.h"

namespace posewire::graph {
namespace {

using skel::BodyVolume;
using skel::Capsules;
using skel::Overlap;
using skel::Quat;
using skel::Vec3;

constexpr float kSlack_m = 0.004f;
constexpr int kMostRounds = 16;
// Larger distances are clamped to this.
constexpr float kNear_m = 0.05f;
// Reach from shoulder, elbow and wrist to the fingers, from a joint of the spine to a hanging or
// resting hand, and from the neck to the top of the head.
constexpr float kReach_m = 0.6f, kForearmReach_m = 0.4f, kHandReach_m = 0.15f;
constexpr float kSpineReach_m = 0.4f, kHeadReach_m = 0.25f;
// Fraction of the spine's joints that are lumbar.
constexpr float kLumbar = 0.3f;
// A shoulder and the joints of its clavicle.
constexpr int kClavicle = 3;
// Overlaps that exceed the slack by less than this may be missed: an idle body moves less.
constexpr float kUnseen_m = 0.0025f;
// Maximum number of ticks without a check.
constexpr int kMostUnseen = 15;
// A correction that nothing holds fades at kFading of the remainder per second, but no faster than
// kMostFading: less than kMostChange, radians per second, leaves room to push it off a contact.
constexpr float kFading = 9, kMostFading = 2, kMostChange = 3;
// Smaller angles count as zero; radians.
constexpr float kNone = 1e-4f;
// A push directed at the shoulder has little leverage; at least this fraction of the arm's length
// is assumed.
constexpr float kLeastLever = 0.35f;

// Returns 0 for the left arm, 1 for the right one, nothing for other volumes.
std::optional<size_t> SideOf(BodyVolume volume) {
  switch (volume) {
    case BodyVolume::kLeftForearm:
    case BodyVolume::kLeftHand:
      return 0;
    case BodyVolume::kRightForearm:
    case BodyVolume::kRightHand:
      return 1;
    default:
      return std::nullopt;
  }
}

bool Has(const std::vector<int>& joints, int joint) {
  return std::find(joints.begin(), joints.end(), joint) != joints.end();
}

}  // namespace

SelfCollisionBody::SelfCollisionBody(std::shared_ptr<const BodyParts> body_parts)
    : parts(std::move(body_parts)), capsules(parts->rig) {
  WatchArm(kLeftArm);
  WatchArm(kRightArm);
  WatchRun(kSpine, parts->spine, 0, kLumbar, kSpineReach_m);
  WatchRun(kSpine, parts->spine, kLumbar, 1, kSpineReach_m);
  WatchRun(kNeck, parts->neck, 0, 1, kHeadReach_m);
  if (parts->head >= 0) watched.push_back({parts->head, kHeadReach_m, kNeck});
  for (size_t c = 0, side = 0; c < capsules.all().size() && side < 2; ++c) {
    if (capsules.all()[c].volume == BodyVolume::kHips) hips[side++] = c;
  }
}

// Includes the joints of the clavicle, which are between spine and shoulder.
void SelfCollisionBody::WatchArm(Part part) {
  const BodyParts::Limb& arm = parts->arms[part];
  if (!arm.complete()) return;
  const skel::Topology& topology = parts->rig->topology();
  for (int j = arm.start, i = 0; j >= 0 && i < kClavicle; j = topology.parent(j), ++i) {
    if (j != arm.start && Has(parts->spine, j)) break;
    watched.push_back({j, kReach_m, part});
  }
  watched.push_back({arm.middle, kForearmReach_m, part});
  watched.push_back({arm.end, kHandReach_m, part});
}

// One joint represents its whole part, which rotates evenly.
void SelfCollisionBody::WatchRun(Part part, const std::vector<int>& run, float from, float to,
                                 float lever_m) {
  const auto joints = static_cast<float>(run.size());
  const auto at = static_cast<size_t>((from + to) / 2 * joints);
  if (at < run.size()) watched.push_back({run[at], lever_m * (to - from) * joints, part});
}

bool SelfCollisionNode::Free() const {
  return free_m_.hands > 0 && free_m_.body[0] > 0 && free_m_.body[1] > 0 && free_m_.head[0] > 0 &&
         free_m_.head[1] > 0;
}

void SelfCollisionNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const SelfCollisionNode*>(&old);
  if (other != nullptr) arms_ = other->arms_;
}

bool SelfCollisionNode::Pushed(const TickContext& ctx, size_t side) const {
  if (ctx.inputs == nullptr) return false;
  const BodyParts::Limb& arm = limb(side);
  for (const ProviderInput& input : ctx.inputs->providers) {
    if (input.suspended || input.pose.joints == 0) continue;
    for (const int joint : {arm.start, arm.middle, arm.end}) {
      if (joint >= 0 && input.pose.has_r[joint]) return true;
    }
  }
  return false;
}

// Returns whether nothing can have come near since Remember.
bool SelfCollisionNode::Still(const skel::PoseView& pose) const {
  using enum SelfCollisionBody::Part;
  std::array<float, SelfCollisionBody::kParts> moved_m{};
  for (size_t i = 0; i < body_->watched.size(); ++i) {
    const SelfCollisionBody::Watched& watched = body_->watched[i];
    const Quat q = pose.rotation(watched.joint), p = then_[i];
    const float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, w = q.w - p.w;
    // Quaternions differ by half the angle.
    moved_m[watched.part] += 2 * watched.lever_m * std::sqrt(x * x + y * y + z * z + w * w);
  }
  bool still = moved_m[kLeftArm] + moved_m[kRightArm] < free_m_.hands + kUnseen_m;
  for (const size_t arm : {size_t{kLeftArm}, size_t{kRightArm}}) {
    still = still && moved_m[arm] + moved_m[kSpine] < free_m_.body[arm] + kUnseen_m &&
            moved_m[arm] + moved_m[kNeck] < free_m_.head[arm] + kUnseen_m;
  }
  return still;
}

void SelfCollisionNode::Remember(const skel::PoseView& pose, const Capsules::Lines& lines) {
  free_m_ = {kNear_m, {kNear_m, kNear_m}, {kNear_m, kNear_m}};
  for (const Capsules::Pair pair : Capsules::Pairs()) {
    const size_t arm = *SideOf(pair.a);
    float& least = SideOf(pair.b)                ? free_m_.hands
                   : pair.b == BodyVolume::kHead ? free_m_.head[arm]
                                                 : free_m_.body[arm];
    least = std::min(least, kSlack_m - body_->capsules.DeepestOf(lines, pair, -kNear_m).depth_m);
  }
  unseen_ = 0;
  for (size_t i = 0; i < body_->watched.size(); ++i) {
    then_[i] = pose.rotation(body_->watched[i].joint);
  }
}

// Places the arm by the remainder of the last correction, after `dt_s`.
void SelfCollisionNode::Begin(size_t side, const skel::PoseView& pose, float dt_s, Solved& arm,
                              Capsules::Lines& lines) const {
  const int start = limb(side).start;
  const skel::Rig& rig = *body_->parts->rig;
  arm.shoulder = PlaceOf(rig, pose, start).at;
  arm.above = TurnOf(rig, pose, rig.topology().parent(start));
  const Vec3 was = skel::Log(arms_[side].out_of_body);
  const float far = Length(was);
  const float near = std::max(far * std::exp(-kFading * dt_s), far - kMostFading * dt_s);
  if (near < kNone) return;
  const Vec3 left = was * (near / far);
  Turn(side, Mul(Mul(arm.above, skel::Exp(left)), Conjugate(arm.above)), arm, lines);
}

void SelfCollisionNode::Turn(size_t side, Quat by, Solved& arm, Capsules::Lines& lines) const {
  for (size_t c = 0; c < body_->capsules.all().size(); ++c) {
    if (SideOf(body_->capsules.all()[c].volume) != side) continue;
    for (Vec3& end : lines[c]) end = arm.shoulder + Rotate(by, end - arm.shoulder);
  }
  arm.turn = Normalized(Mul(by, arm.turn));
}

// Returns the direction of the hips' front; zero if the rig has no hips.
Vec3 SelfCollisionNode::Front(const Capsules::Lines& lines) const {
  const auto [left, right] = body_->hips;
  if (left == right) return {};
  return Normalized(Cross(lines[left][0] - lines[right][0], lines[left][1] - lines[left][0]));
}

// Returns the axis about which an arm rotates out of trunk or hips; `axis` is that of the shortest
// way. If that leads to the other side of the body, from which the arm could come back only around
// the body, returns the way to the front instead.
Vec3 SelfCollisionNode::Outward(size_t side, Vec3 axis, Vec3 lever, Vec3 front) const {
  const float outward = Dot(axis, front) * (side == 0 ? 1.0f : -1.0f);
  if (outward >= 0) return axis;
  const Vec3 forward = Cross(lever, front);
  const float length = std::max(Length(forward), kLeastLever * Length(lever));
  return axis - front * Dot(axis, front) - forward * (outward / length);
}

// Rotates the arm so that the point of overlap moves by `by_m` in its outward direction, past
// `front` if that is not 0.
void SelfCollisionNode::Push(size_t side, const Overlap& overlap, float by_m, Vec3 front,
                             Solved& arm, Capsules::Lines& lines) const {
  const Vec3 lever = overlap.at - arm.shoulder;
  const Vec3 shortest = Cross(lever, overlap.away);
  const Vec3 axis = Outward(side, shortest, lever, front);
  const float least = kLeastLever * Length(lever);
  const float square = std::max(Dot(axis, shortest), least * least);
  if (square > 0) Turn(side, skel::Exp(axis * (by_m / square)), arm, lines);
}

// With or without contacts between the hands.
void SelfCollisionNode::Solve(bool hands, std::array<Solved, 2>& arms,
                              Capsules::Lines& lines) const {
  const Vec3 front = Front(lines);
  for (int round = 0; round < kMostRounds; ++round) {
    bool pushed = false;
    for (const Capsules::Pair pair : Capsules::Pairs()) {
      const size_t a = *SideOf(pair.a);
      const std::optional<size_t> b = SideOf(pair.b);
      if (b && !hands) continue;
      const bool both = b && arms[*b].free;
      if (!arms[a].free && !both) continue;
      Overlap overlap = body_->capsules.DeepestOf(lines, pair, kSlack_m);
      if (overlap.depth_m <= kSlack_m + 1e-4f) continue;
      pushed = true;
      const float by_m = (overlap.depth_m - kSlack_m) * (arms[a].free && both ? 0.5f : 1);
      const bool body = pair.b == BodyVolume::kTrunk || pair.b == BodyVolume::kHips;
      if (arms[a].free) Push(a, overlap, by_m, body ? front : Vec3{}, arms[a], lines);
      if (!both) continue;
      overlap.away = overlap.away * -1;
      Push(*b, overlap, by_m, {}, arms[*b], lines);
    }
    if (!pushed) return;
  }
}

void SelfCollisionNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  const bool turned = arms_[0].turned || arms_[1].turned;
  std::array<Solved, 2> arms;
  for (size_t side = 0; side < 2; ++side) {
    arms[side].free = limb(side).complete() && !Pushed(ctx, side);
  }
  if (!turned && !arms[0].free && !arms[1].free) return;
  if (!turned && Free() && unseen_++ < kMostUnseen && Still(out)) return;
  Capsules::Lines lines;
  if (!body_->capsules.Place(out, lines)) return;
  Remember(out, lines);
  if (!turned && Free()) return;
  const auto dt_s = static_cast<float>(std::clamp(ctx.dt_s, 0.0, 1.0));
  for (size_t side = 0; side < 2; ++side) {
    if (!limb(side).complete()) continue;
    Begin(side, out, dt_s, arms[side], lines);
  }
  // In the space above each shoulder.
  const auto local = [&](size_t side) {
    return Mul(Mul(Conjugate(arms[side].above), arms[side].turn), arms[side].above);
  };
  Solve(false, arms, lines);
  for (size_t side = 0; side < 2; ++side) arms_[side].out_of_body = Normalized(local(side));
  Solve(true, arms, lines);
  const float most = ctx.dt_s > 0 ? kMostChange * dt_s : 1e9f;
  for (size_t side = 0; side < 2; ++side) {
    if (!limb(side).complete()) continue;
    Arm& arm = arms_[side];
    Quat turn = local(side);
    const Vec3 change = skel::Log(Mul(turn, Conjugate(arm.turn)));
    const float far = Length(change);
    if (far > most) turn = Mul(skel::Exp(change * (most / far)), arm.turn);
    arm.turned = Length(skel::Log(turn)) > kNone || Length(skel::Log(arm.out_of_body)) > kNone;
    if (!arm.turned) arm.out_of_body = turn = {};
    arm.turn = Normalized(turn);
    if (!arm.turned) continue;
    const int start = limb(side).start;
    out.SetRotation(start, Normalized(Mul(arm.turn, out.rotation(start))));
  }
}

}  // namespace posewire::graph
