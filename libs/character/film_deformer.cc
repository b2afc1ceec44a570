#include "libs/character/film_deformer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::Vec3;

// A muscle between two joints, on one side of the bone, which bulges when the joint `bends` bends.
struct MusclePlace {
  absl::string_view from, to, bends;
  Vec3 side;
  float full_rad, height_m, reach_m;
};
constexpr std::array kMuscles = {
    MusclePlace{"shoulder", "elbow", "elbow", {0, 0, 1}, 2.2f, 0.025f, 0.09f},
    MusclePlace{"shoulder", "elbow", "shoulder", {0, 0, -1}, 2.0f, 0.012f, 0.09f},
    MusclePlace{"elbow", "wrist", "elbow", {0, 0, 1}, 2.2f, 0.008f, 0.07f},
    MusclePlace{"hip", "knee", "knee", {0, 0, 1}, 1.8f, 0.02f, 0.14f},
    MusclePlace{"knee", "ankle", "knee", {0, 0, -1}, 1.8f, 0.015f, 0.1f},
};

float Falloff(float x) {  // 1 at 0; 0 at 1 and above
  const float t = std::clamp(1 - x, 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

}  // namespace

FilmDeformer::FilmDeformer(std::shared_ptr<const Character> character, const FilmLayers& layers)
    : character_(std::move(character)),
      layers_(layers),
      deformer_(character_),
      skin_(deformer_),
      smoothing_(skin_, {.rounds = 6, .strength = 0.9f, .around = false}),
      normals_(skin_.points()),
      transforms_(skin_.points()) {}

absl::StatusOr<std::unique_ptr<FilmDeformer>> FilmDeformer::Make(
    std::shared_ptr<const Character> character, const FilmLayers& layers) {
  std::unique_ptr<FilmDeformer> out(new FilmDeformer(std::move(character), layers));
  if (absl::Status s = out->FindPlaces(); !s.ok()) return s;
  return out;
}

// Finds the muscles and the belly in the rest pose.
absl::Status FilmDeformer::FindPlaces() {
  const Character& c = *character_;
  if (absl::Status s = deformer_.Pose(c.rig->rest()); !s.ok()) return s;
  std::vector<Vec3> rest(skin_.points());
  skin_.Gather(deformer_, absl::MakeSpan(rest), {});
  const auto node_of = [&](absl::string_view name) -> absl::StatusOr<int> {
    const int joint = c.rig->FindJoint(name);
    for (const Link& link : c.links) {
      if (joint >= 0 && link.joint == joint) return link.node;
    }
    return absl::NotFoundError(
        absl::StrCat(c.name, " has no joint ", name, ", expected the joints of hanim_loa3"));
  };
  const auto place = [&](int node) { return deformer_.nodes()[static_cast<size_t>(node)].row[3]; };
  for (const absl::string_view left_or_right : {"l_", "r_"}) {
    for (const MusclePlace& muscle : kMuscles) {
      const auto from = node_of(absl::StrCat(left_or_right, muscle.from)),
                 to = node_of(absl::StrCat(left_or_right, muscle.to));
      if (!from.ok()) return from.status();
      if (!to.ok()) return to.status();
      Muscle& out = muscles_.emplace_back();
      out.joint = c.rig->FindJoint(absl::StrCat(left_or_right, muscle.bends));
      out.full_rad = muscle.full_rad;
      out.height_m = muscle.height_m;
      const Vec3 a = place(*from), bone = place(*to) - a;
      for (size_t i = 0; i < rest.size(); ++i) {
        const float t = skel::Dot(rest[i] - a, bone) / skel::Dot(bone, bone);
        if (t <= 0 || t >= 1) continue;
        const Vec3 out_of_bone = rest[i] - a - bone * t;
        const float along = std::sin(std::numbers::pi_v<float> * t);
        const float side = skel::Dot(skel::Normalized(out_of_bone), muscle.side);
        const float amount = along * along * std::max(side, 0.0f) *
                             Falloff(skel::Length(out_of_bone) / muscle.reach_m - 0.3f);
        if (amount > 0.01f) out.points.push_back({static_cast<uint32_t>(i), amount});
      }
    }
  }
  const auto spine = node_of("vl3");
  if (!spine.ok()) return spine.status();
  belly_node_ = *spine;
  Vec3 front = place(belly_node_);
  for (const Vec3 p : rest) {
    if (std::fabs(p.x) < 0.03f && std::fabs(p.y - front.y) < 0.03f)
      front.z = std::max(front.z, p.z);
  }
  for (size_t i = 0; i < rest.size(); ++i) {
    const float amount = Falloff(skel::Length(rest[i] - front) / 0.16f);
    if (amount > 0.01f) belly_.push_back({static_cast<uint32_t>(i), amount});
  }
  return absl::OkStatus();
}

// Moves the belly as a spring of 3 Hz that settles in about a second.
void FilmDeformer::Swing(double step_s) {
  const Vec3 now = deformer_.nodes()[static_cast<size_t>(belly_node_)].row[3];
  const auto dt = static_cast<float>(step_s);
  if (!started_ || !(dt > 0)) {
    started_ = true;
    body_at_ = now;
    body_speed_ = belly_at_ = belly_speed_ = {};
    return;
  }
  const Vec3 speed = (now - body_at_) * (1 / dt);
  const Vec3 pull = (speed - body_speed_) * (1 / dt);
  body_at_ = now;
  body_speed_ = speed;
  constexpr int kSteps = 8;
  constexpr float kStiffness = 355, kDamping = 7;
  for (int i = 0; i < kSteps; ++i) {
    const Vec3 force = belly_at_ * -kStiffness - belly_speed_ * kDamping - pull;
    belly_speed_ = belly_speed_ + force * (dt / kSteps);
    belly_at_ = belly_at_ + belly_speed_ * (dt / kSteps);
  }
  const float length = skel::Length(belly_at_), most = 0.03f;
  if (length > most) belly_at_ = belly_at_ * (most / length);
}

absl::Status FilmDeformer::Pose(const skel::PoseView& pose, double step_s, absl::Span<Vec3> out) {
  if (out.size() != skin_.points()) {
    return absl::InvalidArgumentError(
        absl::StrCat("out has ", out.size(), " entries, expected ", skin_.points()));
  }
  if (absl::Status s = deformer_.Pose(pose); !s.ok()) return s;
  skin_.Gather(deformer_, out, absl::MakeSpan(normals_));
  if (layers_.smoothing) {
    if (absl::Status s = Transforms(absl::MakeSpan(transforms_), nullptr); !s.ok()) return s;
    smoothing_.Run(transforms_, out);
  }
  if (layers_.muscles) {
    for (const Muscle& muscle : muscles_) {
      if (!pose.has_r[muscle.joint]) continue;
      const float bend = skel::AngleBetween(character_->rig->rest().rotation(muscle.joint),
                                            pose.rotation(muscle.joint));
      const float height = muscle.height_m * (1 - Falloff(bend / muscle.full_rad));
      for (const auto& [point, amount] : muscle.points) {
        out[point] = out[point] + normals_[point] * (height * amount);
      }
    }
  }
  if (layers_.belly) {
    Swing(step_s);
    for (const auto& [point, amount] : belly_) out[point] = out[point] + belly_at_ * amount;
  }
  return absl::OkStatus();
}

}  // namespace posewire::character
