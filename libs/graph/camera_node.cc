#include "libs/graph/camera_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/graph/small_math.h"
#include "libs/skel/model_place.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::kPi;
using skel::Quat;
using skel::Vec3;

// Time constants: to follow the avatar, and for motions to begin and end.
constexpr float kLazy_s = 0.8f, kMotion_s = 2.0f / 3;
// A push-in ends at this fraction of the distance.
constexpr float kNearest = 0.4f;

float Mix(float a, float b, float t) { return a + (b - a) * t; }

// Returns the rotation of an upright camera at one place that looks at another along -Z.
Quat LooksFromTo(Vec3 from, Vec3 to) {
  const Vec3 way = to - from;
  const float flat = std::hypot(way.x, way.z);
  return Mul(skel::FromAxisAngle({0, 1, 0}, std::atan2(-way.x, -way.z)),
             skel::FromAxisAngle({1, 0, 0}, std::atan2(way.y, flat)));
}

}  // namespace

CameraNode::CameraNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
                       CameraSettings settings)
    : PassNode(std::move(below)), parts_(std::move(parts)), settings_(std::move(settings)) {
  const skel::Rig& rig = *parts_->rig;
  for (const auto& shot : settings_.shots) {
    state_.places.push_back(PlaceOf(rig, rig.rest(), shot.look_at.joint, shot.look_at.offset).at);
  }
}

void CameraNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const CameraNode*>(&old);
  if (other == nullptr || !other->state_.on) return;
  // The new shots are approached from the view shown last.
  State taken = other->state_;
  taken.places = std::move(state_.places);
  taken.shot = -1;
  state_ = std::move(taken);
}

int CameraNode::Chosen(const TickContext& ctx, int variable,
                       const std::vector<int>& of_choice) const {
  return variable < 0 ? -1 : of_choice[static_cast<size_t>(ctx.variables->choice(variable))];
}

void CameraNode::Update(const TickContext& ctx, float weight) {
  for (int variable :
       {settings_.shot_variable, settings_.position_variable, settings_.motion_variable}) {
    state_.on |= variable >= 0 && ctx.variables->sets(variable) > 0;
  }
  if (state_.on) settings_.transition_s.Step(ctx);
  PassNode::Update(ctx, weight);
}

void CameraNode::StepMotion(const TickContext& ctx, const CameraSettings::Shot& shot, float dt_s) {
  const int chosen = Chosen(ctx, settings_.motion_variable, settings_.motion_of_choice);
  const CameraSettings::Move motion =
      chosen < 0 ? CameraSettings::Move{} : settings_.motions[static_cast<size_t>(chosen)];
  const float share = Share(dt_s, kMotion_s);
  state_.sway += (static_cast<float>(motion.sway_deg) * kDeg - state_.sway) * share;
  state_.sway_phase += 2 * kPi * static_cast<float>(motion.sway_hz) * dt_s;
  // Sines of 1 and 0.7 times the phase repeat after 20 pi.
  state_.sway_phase = std::fmod(state_.sway_phase, 20 * kPi);
  const float most = (1 - kNearest) * static_cast<float>(shot.distance_m);
  const auto push = static_cast<float>(motion.push_in_m_s);
  if (push != 0) {
    state_.push_m = std::min(state_.push_m + push * dt_s, most);
  } else {
    state_.push_m -= state_.push_m * share;
  }
  const auto orbit = static_cast<float>(motion.orbit_deg_s) * kDeg;
  state_.orbit =
      orbit != 0 ? Wrapped(state_.orbit + orbit * dt_s) : state_.orbit - state_.orbit * share;
  const int position = Chosen(ctx, settings_.position_variable, settings_.position_of_choice);
  const float right =
      position < 0 ? 0 : static_cast<float>(settings_.right_m[static_cast<size_t>(position)]);
  // Three time constants count as complete.
  const auto length = static_cast<float>(settings_.transition_s.value());
  state_.right_m += (right - state_.right_m) * (length > 0 ? Share(dt_s, length / 3) : 1);
}

CameraNode::Round CameraNode::RoundOf(int index) const {
  const auto i = static_cast<size_t>(index);
  const CameraSettings::Shot& shot = settings_.shots[i];
  const float sway = state_.sway * std::sin(state_.sway_phase);
  const float nod = state_.sway * 0.4f * std::sin(0.7f * state_.sway_phase);
  const auto distance = static_cast<float>(shot.distance_m);
  Round r;
  r.at = state_.places[i];
  r.distance = std::max(distance - state_.push_m, kNearest * distance);
  r.height = static_cast<float>(shot.height_m) + nod * r.distance;
  r.left = static_cast<float>(shot.left_deg) * kDeg + state_.orbit + sway;
  r.right = state_.right_m;
  r.focal = static_cast<float>(shot.focal_length_mm);
  return r;
}

CameraView CameraNode::ViewOf(const Round& r) const {
  const Quat heading = skel::FromAxisAngle({0, 1, 0}, r.left);
  const Vec3 from = r.at + Rotate(heading, {0, r.height, r.distance});
  CameraView view;
  view.rotation = LooksFromTo(from, r.at);
  // The avatar moves to the right of the picture when the camera moves to its left.
  view.position = from + Rotate(view.rotation, {-r.right, 0, 0});
  view.focal_length_mm = r.focal;
  return view;
}

CameraView CameraNode::Look(const skel::PoseView& pose) {
  const CameraSettings::Shot& shot = settings_.shots[static_cast<size_t>(state_.shot)];
  const float t =
      state_.since_s < state_.length_s ? std::max(state_.since_s / state_.length_s, 0.0f) : 1;
  const float even = Smoothstep(t);
  if (!shot.is_viewpoint && (state_.from_round || t == 1)) {
    const Round goal = RoundOf(state_.shot), from = state_.from;
    Round& r = state_.shown;
    r = goal;
    if (t < 1) {
      r.at = Lerp(from.at, goal.at, even);
      r.distance = Mix(from.distance, goal.distance, even);
      r.height = Mix(from.height, goal.height, even);
      r.left = from.left + Wrapped(goal.left - from.left) * even;
      r.focal = Mix(from.focal, goal.focal, even);
    }
    return ViewOf(r);
  }
  CameraView goal;
  if (shot.is_viewpoint) {
    const auto& place = shot.look_at;
    const skel::Placement at = PlaceOf(*parts_->rig, pose, place.joint, place.offset);
    const Quat front =
        place.rotation ? Mul(at.turn, *place.rotation) : parts_->TurnFromRest(pose, place.joint);
    goal.position = at.at;
    // A camera looks along its -Z.
    goal.rotation = Normalized(Mul(front, Quat{0, 0, 1, 0}));
    goal.focal_length_mm = static_cast<float>(shot.focal_length_mm);
  } else {
    goal = ViewOf(state_.shown = RoundOf(state_.shot));
  }
  if (t == 1) return goal;
  CameraView view;
  view.position = Lerp(state_.from_view.position, goal.position, even);
  view.rotation = Normalized(Slerp(state_.from_view.rotation, goal.rotation, even));
  view.focal_length_mm = Mix(state_.from_view.focal_length_mm, goal.focal_length_mm, even);
  return view;
}

void CameraNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  if (!state_.on || ctx.outputs == nullptr) return;
  const auto dt = static_cast<float>(std::clamp(ctx.dt_s, 0.0, 1.0));
  const float share = state_.seen ? Share(dt, kLazy_s) : 1;
  for (size_t i = 0; i < settings_.shots.size(); ++i) {
    const CameraSettings::Place& place = settings_.shots[i].look_at;
    const Vec3 at = PlaceOf(*parts_->rig, out, place.joint, place.offset).at;
    state_.places[i] = Lerp(state_.places[i], at, share);
  }
  const int shot = std::max(Chosen(ctx, settings_.shot_variable, settings_.shot_of_choice), 0);
  if (shot != state_.shot) {
    // The first shot begins with a cut.
    state_.since_s = 0;
    state_.length_s = state_.seen ? static_cast<float>(settings_.transition_s.value()) : 0;
    state_.from_round = state_.seen && state_.is_round;
    state_.from = state_.shown;
    state_.from_view = state_.view;
    state_.shot = shot;
  } else {
    state_.since_s += dt;
  }
  const CameraSettings::Shot& now = settings_.shots[static_cast<size_t>(shot)];
  StepMotion(ctx, now, dt);
  state_.view = Look(out);
  state_.seen = true;
  state_.is_round = !now.is_viewpoint && (state_.from_round || state_.since_s >= state_.length_s);
  ctx.outputs->has_camera = true;
  ctx.outputs->camera = state_.view;
}

}  // namespace posewire::graph
