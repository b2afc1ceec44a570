#include "libs/graph/target.h"

#include <algorithm>
#include <cmath>

#include "libs/graph/small_math.h"
#include "libs/skel/model_place.h"

namespace posewire::graph {
namespace {

using skel::Vec3;

constexpr float kFade_s = 0.4f;

std::optional<Vec3> If(bool known, Vec3 at) {
  if (!known || !Finite(at)) return std::nullopt;
  return at;
}

// Returns the stored value whose smoothstep is `w`, so that smoothed weights converge to the
// requested value.
float Unsmooth(float w) {
  return 0.5f - std::sin(std::asin(1 - 2 * std::clamp(w, 0.0f, 1.0f)) / 3);
}

}  // namespace

const UserInput* FindUser(const Inputs& inputs, absl::string_view name) {
  for (const UserInput& user : inputs.users) {
    if (name.empty() || user.name == name) return &user;
  }
  return nullptr;
}

const PropInput* FindProp(const Inputs& inputs, absl::string_view name) {
  for (const PropInput& prop : inputs.props) {
    if (prop.name == name) return &prop;
  }
  return nullptr;
}

const PropSiteInput* FindSite(const PropInput& prop, absl::string_view name) {
  for (const PropSiteInput& site : prop.sites) {
    if (site.name == name) return &site;
  }
  return nullptr;
}

std::optional<Vec3> Locate(const Target& target, const TickContext& ctx, const skel::Rig& rig,
                           const skel::PoseView& pose) {
  using Kind = Target::Kind;
  if (target.of_user()) {
    const auto nth = static_cast<size_t>(target.nth);
    const UserInput* user = target.nth < 0                   ? FindUser(*ctx.inputs, target.who)
                            : nth < ctx.inputs->users.size() ? &ctx.inputs->users[nth]
                                                             : nullptr;
    if (user == nullptr) return std::nullopt;
    if (target.kind == Kind::kUserHead) return If(user->has_head, user->head);
    if (target.kind == Kind::kUserLeftHand) return If(user->has_left_hand, user->left_hand);
    if (target.kind == Kind::kUserRightHand) return If(user->has_right_hand, user->right_hand);
    if (target.kind == Kind::kUserHips) return user->hips;
    if (target.kind == Kind::kUserLeftFoot) return user->left_foot;
    if (target.kind == Kind::kUserRightFoot) return user->right_foot;
    if (target.kind == Kind::kUserPoint) {
      const auto is = [&](const UserPointInput& point) { return point.name == target.part; };
      const auto it = std::find_if(user->points.begin(), user->points.end(), is);
      return it == user->points.end() ? std::nullopt : If(true, it->at);
    }
    return If(user->has_gaze, user->gaze);
  }
  switch (target.kind) {
    case Kind::kAvatar:
      if (target.nth >= 0) {
        const auto nth = static_cast<size_t>(target.nth);
        if (nth >= ctx.inputs->neighbours.size()) return std::nullopt;
        return If(true, ctx.inputs->neighbours[nth].head);
      }
      for (const NeighbourInput& other : ctx.inputs->neighbours) {
        if (other.target_object_id == target.who) return If(true, other.head);
      }
      return std::nullopt;
    case Kind::kSite:
      return If(target.joint >= 0, PlaceOf(rig, pose, target.joint, target.offset).at);
    case Kind::kVariable:
      return If(true, ctx.variables->value(target.variable).vector);
    case Kind::kPoint:
      return target.point;
    case Kind::kProp: {
      const PropInput* prop = FindProp(*ctx.inputs, target.who);
      if (prop == nullptr) return std::nullopt;
      if (target.part.empty()) return If(true, prop->place.at);
      const PropSiteInput* site = FindSite(*prop, target.part);
      return site == nullptr ? std::nullopt : If(true, site->place.at);
    }
    default:
      return std::nullopt;
  }
}

Vec3 PlaceFilter::Step(Vec3 at, double dt_s, float most_m_s) {
  if (dt_s <= 0) return at_;
  const auto dt = static_cast<float>(dt_s);
  const float keep = std::exp(-dt / static_cast<float>(smooth_s_));
  const Vec3 guess = at_ + speed_ * dt;
  const Vec3 miss = at - guess;
  speed_ = speed_ + miss * ((1 - keep) * (1 - keep) / dt);
  Vec3 step = guess + miss * (1 - keep * keep) - at_;
  const float most = most_m_s * dt, length = Length(step);
  if (length > most) {
    step = step * (most / length);
    speed_ = step * (1 / dt);
  }
  return at_ = at_ + step;
}

void TargetFollower::Step(const std::optional<Vec3>& seen, double dt_s) {
  const auto way = static_cast<float>(dt_s) / kFade_s;
  if (!seen) {
    presence_ = std::max(presence_ - way, 0.0f);
    return;
  }
  if (presence_ == 0 || Length(*seen - filter_.at()) > jump_m_) {
    filter_.Jump(*seen);
  } else {
    filter_.Step(*seen, dt_s, most_m_s_);
  }
  presence_ = std::min(presence_ + way, 1.0f);
}

float EasedWeight::Step(double target, double dt_s) {
  // NaN counts as 0.
  const float goal = target > 0 ? Unsmooth(static_cast<float>(std::min(target, 1.0))) : 0;
  const float most = static_cast<float>(dt_s) / full_s_;
  value_ += std::clamp(goal - value_, -most, most);
  return value();
}

}  // namespace posewire::graph
