#include "libs/character/springs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/character/character.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

constexpr double kLongest_s = 0.25, kSteps_hz = 60;
constexpr int kSettlingSteps = 60;
constexpr float kLeast = 1e-6f;

Vec3 DirectionOf(const Affine& m, Vec3 v) { return skel::Normalized(skel::TransformVector(m, v)); }

}  // namespace

Springs::Springs(const Character& character) : set_(&character.springs) {
  std::vector<int> joint_of(character.nodes.size(), -1);
  for (size_t j = 0; j < set_->joints.size(); ++j) {
    joint_of[static_cast<size_t>(set_->joints[j].node)] = static_cast<int>(j);
  }
  std::vector<bool> swings(character.nodes.size(), false);
  for (const int n : character.order) {
    const auto node = static_cast<size_t>(n);
    const int parent = character.nodes[node].parent;
    swings[node] = joint_of[node] >= 0 || (parent >= 0 && swings[static_cast<size_t>(parent)]);
    if (swings[node]) affected_.push_back({n, parent, joint_of[node]});
  }
  locals_.resize(affected_.size());
  tails_.resize(set_->joints.size());
  before_.resize(set_->joints.size());
}

int Springs::StepsOf(double step_s) {
  return std::max(1, static_cast<int>(std::lround(step_s * kSteps_hz)));
}

void Springs::Move(double at_s, absl::Span<Affine> models) {
  if (empty()) return;
  const double step_s = at_s_ ? at_s - *at_s_ : -1;
  at_s_ = at_s;
  for (size_t i = 0; i < affected_.size(); ++i) {
    const auto node = static_cast<size_t>(affected_[i].node);
    locals_[i] = models[node];
    if (affected_[i].parent < 0) continue;
    const auto back = skel::Inverse(models[static_cast<size_t>(affected_[i].parent)]);
    locals_[i] = back ? skel::Mul(models[node], *back) : Affine{};
  }
  if (step_s < 0 || step_s > kLongest_s) {
    for (size_t j = 0; j < tails_.size(); ++j) {
      const SpringJoint& joint = set_->joints[j];
      Vec3 tail = skel::TransformPoint(models[static_cast<size_t>(joint.node)], joint.end);
      if (joint.center >= 0) {
        const auto back = skel::Inverse(models[static_cast<size_t>(joint.center)]);
        if (back) tail = skel::TransformPoint(*back, tail);
      }
      tails_[j] = before_[j] = tail;
    }
    for (int i = 0; i < kSettlingSteps; ++i) Step(1 / static_cast<float>(kSteps_hz), models);
    return;
  }
  if (step_s == 0) return Step(0, models);
  const int steps = StepsOf(step_s);
  for (int i = 0; i < steps; ++i) Step(static_cast<float>(step_s / steps), models);
}

Vec3 Springs::Collide(const SpringJoint& joint, Vec3 at, float length, Vec3 tail,
                      absl::Span<const Affine> models) const {
  for (const int c : joint.colliders) {
    const SpringCollider& collider = set_->colliders[static_cast<size_t>(c)];
    const Affine& space = models[static_cast<size_t>(collider.node)];
    const Vec3 from = skel::TransformPoint(space, collider.offset);
    const Vec3 way = skel::TransformVector(space, collider.tail - collider.offset);
    const float far = skel::Dot(way, way), along = skel::Dot(way, tail - from);
    const float share = far > 0 ? std::clamp(along / far, 0.0f, 1.0f) : 0.0f;
    const Vec3 apart = tail - from - way * share;
    const float gap = skel::Length(apart);
    if (gap >= joint.hit + collider.radius || gap < kLeast) continue;
    tail = tail + apart * ((joint.hit + collider.radius - gap) / gap);
    tail = at + skel::Normalized(tail - at) * length;
  }
  return tail;
}

// With a step of 0, rotates the joints to where the springs are now.
void Springs::Step(float step_s, absl::Span<Affine> models) {
  for (size_t i = 0; i < affected_.size(); ++i) {
    const auto [node, parent, j] = affected_[i];
    Affine& model = models[static_cast<size_t>(node)];
    model = parent < 0 ? locals_[i] : skel::Mul(locals_[i], models[static_cast<size_t>(parent)]);
    if (j < 0) continue;
    const auto k = static_cast<size_t>(j);
    const SpringJoint& joint = set_->joints[k];
    const Vec3 at = model.row[3], rest = skel::TransformVector(model, joint.end);
    const float length = skel::Length(rest);
    if (!(length > kLeast)) continue;
    const Affine center = joint.center < 0 ? Affine{} : models[static_cast<size_t>(joint.center)];
    Vec3 tail = skel::TransformPoint(center, tails_[k]);
    if (step_s > 0) {
      tail = skel::TransformPoint(center, tails_[k] + (tails_[k] - before_[k]) * (1 - joint.drag)) +
             DirectionOf(model, joint.end) * (joint.stiffness * step_s) + joint.gravity * step_s;
      tail = at + skel::Normalized(tail - at) * length;
      tail = Collide(joint, at, length, tail, models);
      const auto back = joint.center < 0 ? std::nullopt : skel::Inverse(center);
      before_[k] = tails_[k];
      tails_[k] = back ? skel::TransformPoint(*back, tail) : tail;
    }
    const Vec3 way = tail - at;
    if (!(skel::Length(way) > kLeast)) continue;
    const Quat turn = skel::BetweenDirections(rest * (1 / length), skel::Normalized(way));
    for (size_t row = 0; row < 3; ++row) model.row[row] = skel::Rotate(turn, model.row[row]);
  }
}

}  // namespace posewire::character
