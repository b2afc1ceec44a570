#include "libs/graph/feet_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"

namespace posewire::graph {
namespace {

using skel::Placement;
using skel::Quat;
using skel::Vec3;

constexpr float kLetGo_s = 0.25f, kShortStep_m = 0.15f;
// A held foot is let go at so much more than what it is taken at.
constexpr float kMore = 1.5f;
// How much of a leg's length it may be stretched to, where the animation does not do so itself.
constexpr float kStretch = 0.9995f;

}  // namespace

FeetNode::FeetNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
                   FeetSettings settings)
    : PassNode(std::move(below)), parts_(std::move(parts)), settings_(settings) {
  const auto at = [&](int j) { return parts_->rest_at[static_cast<size_t>(j)]; };
  for (size_t side = 0; side < 2; ++side) {
    const BodyParts::Limb& leg = parts_->legs[side];
    leg_m_[side] = Length(at(leg.middle) - at(leg.start)) + Length(at(leg.end) - at(leg.middle));
  }
}

void FeetNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const FeetNode*>(&old);
  if (other != nullptr) feet_ = other->feet_;
}

void FeetNode::StepFoot(size_t side, double dt_s, const skel::PoseView& pose) {
  const skel::Rig& rig = *parts_->rig;
  const BodyParts::Limb& leg = parts_->legs[side];
  Foot& foot = feet_[side];
  const Placement ankle = PlaceOf(rig, pose, leg.end);
  const float floor = parts_->rest_at[static_cast<size_t>(leg.end)].y;
  // How far the toes point further down from the ankle than at rest.
  float dip = 0;
  if (const int toe = parts_->toes[side]; toe >= 0) {
    const float rest_down = floor - parts_->rest_at[static_cast<size_t>(toe)].y;
    dip = std::max(ankle.at.y - PlaceOf(rig, pose, toe).at.y - rest_down, 0.0f);
  }
  const float sunk = std::max(floor + dip - ankle.at.y, 0.0f);
  const Vec3 above = ankle.at + Vec3{0, sunk, 0};
  const auto dt = static_cast<float>(dt_s);
  const Vec3 way = above - foot.animated;
  const float speed = foot.known && dt > 0 ? Length(way) / dt : 1e9f;
  const float high = above.y - floor;
  foot.animated = above;
  const float more = foot.held ? kMore : 1;
  const bool low = speed < more * static_cast<float>(settings_.speed_m_s) &&
                   high < more * static_cast<float>(settings_.height_m);
  const Vec3 gone = above - foot.shown_at;
  const bool near = std::hypot(gone.x, gone.z) < kShortStep_m || !foot.held;
  const bool hold = foot.known && low && near;
  if (!foot.held && hold) {
    foot.held = true;
  } else if (foot.held && !hold) {
    foot.held = false;
    foot.let_go_s = 0;
    foot.off = foot.shown_at - above;
    foot.off_turn = Mul(foot.shown_turn, Conjugate(ankle.turn));
  }
  if (foot.held) {
    // Place and turn are those of the moment before; it comes down to the ground.
    const float most = static_cast<float>(settings_.speed_m_s) * dt;
    foot.shown_at.y = std::max(foot.shown_at.y - most, floor + foot.dip);
    return;
  }
  foot.dip = dip;
  foot.let_go_s += dt;
  const float t = std::min(foot.let_go_s / kLetGo_s, 1.0f);
  const float left = foot.known ? 1 - t * t * (3 - 2 * t) : 0;
  foot.shown_at = above + foot.off * left;
  foot.shown_at.y = std::max(foot.shown_at.y, floor);
  foot.shown_turn =
      left > 0 ? Normalized(Mul(skel::Exp(Log(foot.off_turn) * left), ankle.turn)) : ankle.turn;
  foot.known = true;
}

void FeetNode::SinkHips(const skel::PoseSpan& out) const {
  const skel::Rig& rig = *parts_->rig;
  float sink = 0;
  for (size_t side = 0; side < 2; ++side) {
    const BodyParts::Limb& leg = parts_->legs[side];
    const Vec3 hip = PlaceOf(rig, out, leg.start).at, ankle = PlaceOf(rig, out, leg.end).at;
    const Vec3 to = feet_[side].shown_at;
    const float most = std::max(kStretch * leg_m_[side], Length(ankle - hip));
    if (Length(to - hip) <= most) continue;
    const float across = std::hypot(to.x - hip.x, to.z - hip.z);
    const float up = std::sqrt(std::max(most * most - across * across, 0.0f));
    sink = std::max(sink, hip.y - (to.y + up));
  }
  if (sink <= 0) return;
  const int root = parts_->root;
  const Quat above = TurnOf(rig, out, rig.topology().parent(root));
  const Vec3 at = out.has_t[root] ? out.translation(root) : rig.rest().translation(root);
  out.SetTranslation(root, at + Rotate(Conjugate(above), {0, -sink, 0}));
}

void FeetNode::PlaceFoot(size_t side, const skel::PoseSpan& out) const {
  const skel::Rig& rig = *parts_->rig;
  const BodyParts::Limb& leg = parts_->legs[side];
  const Foot& foot = feet_[side];
  const Placement now = PlaceOf(rig, out, leg.end);
  if (Length(now.at - foot.shown_at) > 1e-6f) {
    skel::TwoBoneIkJob job;
    job.rig = &rig;
    job.start = leg.start, job.middle = leg.middle, job.end = leg.end;
    job.hinge = leg.hinge;
    job.target = foot.shown_at;
    job.soft = 0;
    job.pose = out;
    job.Run();
  } else if (AngleBetween(now.turn, foot.shown_turn) < 1e-5f) {
    return;
  }
  const Quat above = TurnOf(rig, out, rig.topology().parent(leg.end));
  out.SetRotation(leg.end, Normalized(Mul(Conjugate(above), foot.shown_turn)));
}

void FeetNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  for (size_t side = 0; side < 2; ++side) StepFoot(side, std::clamp(ctx.dt_s, 0.0, 1.0), out);
  SinkHips(out);
  for (size_t side = 0; side < 2; ++side) PlaceFoot(side, out);
}

}  // namespace posewire::graph
