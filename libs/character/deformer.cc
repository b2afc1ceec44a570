#include "libs/character/deformer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/character/body_contact.h"
#include "libs/character/expressions.h"
#include "libs/mesh/skin_job.h"
#include "libs/skel/arkit_mouth.h"
#include "libs/skel/local_to_model_job.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

constexpr float kLeastShapeWeight = 1e-6f;

// Returns the angle of a unit quaternion about a unit axis, from -pi to pi.
float TurnAbout(Quat q, Vec3 axis) {
  if (q.w < 0) q = -q;
  return 2 * std::atan2(q.x * axis.x + q.y * axis.y + q.z * axis.z, q.w);
}

}  // namespace

Deformer::Deformer(std::shared_ptr<const Character> character)
    : character_(std::move(character)), springs_(*character_) {
  const Character& c = *character_;
  for (const Mesh& mesh : c.meshes) {
    parts_.push_back({mesh.shape_weights, {}, mesh.points, mesh.normals});
    if (!mesh.shape_joints.empty() && mesh.skin >= 0) {
      parts_.back().plain_weights = mesh.shape_weights;
    }
  }
  weights_.resize(static_cast<size_t>(c.rig->shapes()));
  joint_turns_.resize(static_cast<size_t>(c.rig->joints()));
  joint_rests_.resize(joint_turns_.size());
  filled_ = c.at_ease;
  skel::LocalToModelJob walk;
  walk.rig = c.rig.get();
  walk.local = c.rig->rest();
  walk.rotations = absl::MakeSpan(joint_rests_);
  walk.Run();
  models_.resize(c.nodes.size());
  turns_.resize(c.nodes.size());
  link_of_.assign(c.nodes.size(), -1);
  for (size_t i = 0; i < c.links.size(); ++i) {
    link_of_[static_cast<size_t>(c.links[i].node)] = static_cast<int>(i);
  }
  for (const Skin& skin : c.skins) skin_transforms_.emplace_back(skin.nodes.size());
  jaw_open_ = c.rig->FindShape("jawOpen");
  mouth_close_ = c.rig->FindShape("mouthClose");
  if (c.ace_mouth || jaw_open_ < 0) mouth_close_ = -1;
  choices_.assign(c.variants.size(), 0);
  ApplyChoices();
}

void Deformer::ApplyChoices() {
  const Character& c = *character_;
  std::vector<bool> hidden(c.nodes.size(), false);
  colors_.clear();
  for (const Material& m : c.materials) {
    colors_.push_back({m.color.x, m.color.y, m.color.z, m.alpha});
  }
  for (size_t v = 0; v < c.variants.size(); ++v) {
    for (const Variant::Choice& choice : c.variants[v].choices) {
      for (const int node : choice.nodes) hidden[static_cast<size_t>(node)] = true;
    }
    const Variant::Choice& chosen = c.variants[v].choices[choices_[v]];
    for (const int node : chosen.nodes) hidden[static_cast<size_t>(node)] = false;
    for (const auto& [material, color] : chosen.colors) {
      colors_[static_cast<size_t>(material)] = color;
    }
  }
  for (const int n : c.order) {
    const auto node = static_cast<size_t>(n);
    const int parent = c.nodes[node].parent;
    if (parent >= 0 && hidden[static_cast<size_t>(parent)]) hidden[node] = true;
  }
  std::vector<bool> shown;
  for (const Mesh& mesh : c.meshes) shown.push_back(!hidden[static_cast<size_t>(mesh.node)]);
  if (shown == shown_) return;
  shown_ = std::move(shown);
  if (c.after_skin.empty()) return;
  after_skin_.reset();  // the next pose makes it
}

absl::Status Deformer::Choose(absl::string_view part, absl::string_view choice) {
  const auto names = [](const auto& of, auto name) {
    return absl::StrJoin(
        of, ", ", [&](std::string* out, const auto& one) { absl::StrAppend(out, name(one)); });
  };
  const Character& c = *character_;
  for (size_t v = 0; v < c.variants.size(); ++v) {
    const Variant& variant = c.variants[v];
    if (variant.part != part) continue;
    for (size_t i = 0; i < variant.choices.size(); ++i) {
      if (variant.choices[i].name != choice) continue;
      choices_[v] = i;
      ApplyChoices();
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat(c.name, "'s ", part, " cannot be \"", choice, "\", expected ",
                     names(variant.choices, [](const Variant::Choice& one) { return one.name; })));
  }
  return absl::InvalidArgumentError(
      c.variants.empty()
          ? absl::StrCat(c.name, " has no part that can be chosen, and \"", part, "\" is asked for")
          : absl::StrCat(c.name, " has no part \"", part, "\" to choose, but ",
                         names(c.variants, [](const Variant& one) { return one.part; })));
}

// Streams use ACE's mouthClose. Characters with Apple's shapes need Apple's jawOpen.
void Deformer::ReadWeights(const skel::PoseView& pose) {
  for (int s = 0; s < pose.shapes; ++s) {
    weights_[static_cast<size_t>(s)] = pose.has_w[s] ? pose.weights[s] : 0;
  }
  if (mouth_close_ < 0) return;
  float& jaw = weights_[static_cast<size_t>(jaw_open_)];
  jaw = std::min(skel::ArkitJawOpen(jaw, weights_[static_cast<size_t>(mouth_close_)]),
                 std::max(jaw, 1.0f));
}

float Deformer::ValueOf(const Drive& drive, const skel::PoseView& pose) const {
  const auto weight = [&](int shape) { return weights_[static_cast<size_t>(shape)]; };
  const auto raw = [&](int shape) {
    return shape >= 0 && pose.has_w[shape] ? pose.weights[shape] : 0.0f;
  };
  switch (drive.kind) {
    case Drive::Kind::kMean: {
      float sum = 0;
      for (const int shape : drive.sources) sum += weight(shape);
      return sum / static_cast<float>(drive.sources.size());
    }
    case Drive::Kind::kExpression: {
      // Presets for an open mouth need the distance between the lips, which is ACE's jawOpen.
      const Expression& of = Expressions()[static_cast<size_t>(drive.sources[0])];
      float value = (raw(drive.sources[1]) + raw(drive.sources[2])) * of.gain;
      if (of.open) value *= 1 - std::max(raw(drive.sources[3]), raw(drive.sources[4]));
      return std::clamp(value, 0.0f, 1.0f);
    }
    case Drive::Kind::kProduct: {
      float product = 1;
      for (const int shape : drive.sources) product *= std::clamp(weight(shape), 0.0f, 1.0f);
      return product;
    }
    case Drive::Kind::kTurn: {
      if (!pose.has_r[drive.joint]) return 0;
      const Quat rest = character_->rig->rest().rotation(drive.joint);
      const float turn =
          TurnAbout(skel::Mul(pose.rotation(drive.joint), skel::Conjugate(rest)), drive.axis);
      return std::clamp((turn - drive.from_rad) / (drive.to_rad - drive.from_rad), 0.0f, 1.0f);
    }
  }
  return 0;
}

void Deformer::MoveNodes(absl::Span<const int> nodes, const skel::PoseView& pose) {
  const Character& c = *character_;
  const skel::PoseView rest = c.rig->rest();
  const Affine root = skel::FromTrs(c.root.translation, c.root.rotation, c.root.scale);
  for (const int n : nodes) {
    const auto node = static_cast<size_t>(n);
    const CharacterNode& own = c.nodes[node];
    const auto above = static_cast<size_t>(std::max(own.parent, 0));
    const Affine& parent = own.parent < 0 ? root : models_[above];
    const Quat parent_turn = own.parent < 0 ? c.root.rotation : turns_[above];
    Vec3 t = own.translation, s = own.scale;
    Quat q = own.rotation;
    if (const int l = link_of_[node]; l >= 0) {
      const Link& link = c.links[static_cast<size_t>(l)];
      const int j = link.joint;
      const Vec3 way = link.moves && pose.has_t[j]
                           ? (pose.translation(j) - rest.translation(j)) * c.length_scale
                           : Vec3{};
      if (c.same_joints) {
        t = t + skel::Rotate(link.stance, way) * link.scale;
        if (pose.has_r[j]) {
          q = skel::Mul(q, skel::Mul(skel::Conjugate(rest.rotation(j)), pose.rotation(j)));
        }
        if (pose.has_s[j]) {
          s = {s.x * pose.sx[j], s.y * pose.sy[j], s.z * pose.sz[j]};
        }
      } else {
        const auto joint = static_cast<size_t>(j);
        // The bone gets the joint's rotation from its rest, in the model's space.
        const Quat turn = skel::Mul(joint_turns_[joint], skel::Conjugate(joint_rests_[joint]));
        q = skel::Normalized(skel::Mul(skel::Conjugate(parent_turn), skel::Mul(turn, link.stance)));
        // The way is in metres, but files in centimetres have a node above that shrinks them.
        const std::optional<Affine> back =
            skel::Dot(way, way) > 0 ? skel::Inverse(parent) : std::nullopt;
        if (back) t = t + skel::TransformVector(*back, way);
      }
    }
    turns_[node] = skel::Normalized(skel::Mul(parent_turn, q));
    models_[node] = skel::Mul(skel::FromTrs(t, q, s), parent);
  }
}

skel::PoseView Deformer::Filled(const skel::PoseView& pose) {
  const skel::PoseView ease = character_->at_ease.view();
  if (ease.joints != pose.joints || ease.shapes != pose.shapes) return pose;
  filled_.span().CopyFrom(pose);
  for (int j = 0; j < pose.joints; ++j) {
    if (!pose.has_r[j] && ease.has_r[j]) filled_.span().SetRotation(j, ease.rotation(j));
  }
  return filled_.view();
}

absl::Status Deformer::PoseJoints(const skel::PoseView& given) { return Walk(Filled(given)); }

absl::Status Deformer::Walk(const skel::PoseView& pose) {
  const Character& c = *character_;
  skel::LocalToModelJob walk;
  walk.rig = c.rig.get();
  walk.local = pose;
  walk.rotations = absl::MakeSpan(joint_turns_);
  if (absl::Status s = walk.Validate(); !s.ok()) return s;
  if (pose.shapes != c.rig->shapes()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the pose has ", pose.shapes, " shapes, expected ", c.rig->shapes()));
  }
  walk.Run();
  MoveNodes(c.order, pose);
  if (c.contact != nullptr &&
      c.contact->Apply(joint_rests_, models_, absl::MakeSpan(joint_turns_))) {
    MoveNodes(c.contact->arm_nodes(), pose);
  }
  if (at_s_) springs_.Move(*at_s_, absl::MakeSpan(models_));
  return absl::OkStatus();
}

absl::Status Deformer::Pose(const skel::PoseView& given) {
  const skel::PoseView pose = Filled(given);
  const Character& c = *character_;
  if (absl::Status s = Walk(pose); !s.ok()) return s;
  ReadWeights(pose);
  for (size_t i = 0; i < parts_.size(); ++i) parts_[i].weights = c.meshes[i].shape_weights;
  for (const Drive& drive : c.drives) {
    parts_[static_cast<size_t>(drive.mesh)].weights[static_cast<size_t>(drive.shape)] +=
        drive.gain * ValueOf(drive, pose);
  }
  for (size_t k = 0; k < c.skins.size(); ++k) {
    const Skin& skin = c.skins[k];
    for (size_t j = 0; j < skin.nodes.size(); ++j) {
      skin_transforms_[k][j] =
          skel::Mul(skin.inverse_bind[j], models_[static_cast<size_t>(skin.nodes[j])]);
    }
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!shown_[i]) continue;
    Part& part = parts_[i];
    const Mesh& mesh = c.meshes[i];
    absl::Span<const Vec3> points = mesh.points, normals = mesh.normals;
    const bool shaped = std::any_of(part.weights.begin(), part.weights.end(),
                                    [](float w) { return std::fabs(w) >= kLeastShapeWeight; });
    if (shaped) {
      std::copy(mesh.points.begin(), mesh.points.end(), part.points.begin());
      std::copy(mesh.normals.begin(), mesh.normals.end(), part.normals.begin());
      // Shapes of a joint of their own come after the others.
      for (size_t k = 0; k < part.plain_weights.size(); ++k) {
        part.plain_weights[k] = mesh.shape_joints[k] < 0 ? part.weights[k] : 0;
      }
      mesh::BlendShapesJob blend;
      blend.shapes = mesh.shapes;
      blend.weights = part.plain_weights.empty() ? part.weights : part.plain_weights;
      blend.points = absl::MakeSpan(part.points);
      blend.normals = absl::MakeSpan(part.normals);
      if (absl::Status s = blend.Run(); !s.ok()) return s;
      if (!part.plain_weights.empty()) AddJointShapes(mesh, part);
      points = part.points;
      normals = part.normals;
    }
    mesh::SkinJob skin;
    skin.method = mesh.method;
    skin.transforms = mesh.skin >= 0
                          ? absl::MakeConstSpan(skin_transforms_[static_cast<size_t>(mesh.skin)])
                          : absl::MakeConstSpan(&models_[static_cast<size_t>(mesh.node)], 1);
    skin.indices = mesh.joints;
    skin.weights = mesh.weights;
    skin.per_point = mesh.per_point;
    skin.points = points;
    skin.normals = normals;
    skin.out_points = absl::MakeSpan(part.points);
    skin.out_normals = absl::MakeSpan(part.normals);
    if (absl::Status s = skin.Run(); !s.ok()) return s;
  }
  return c.after_skin.empty() ? absl::OkStatus() : MoveSkinned(pose);
}

// Skinning will turn offsets with each point's joints, so they are turned back by those first.
void Deformer::AddJointShapes(const Mesh& mesh, Part& part) const {
  const std::vector<Affine>& moved = skin_transforms_[static_cast<size_t>(mesh.skin)];
  const auto per = static_cast<size_t>(mesh.per_point);
  for (size_t k = 0; k < mesh.shapes.size(); ++k) {
    const int joint = mesh.shape_joints[k];
    if (joint < 0 || std::fabs(part.weights[k]) < kLeastShapeWeight) continue;
    const mesh::BlendShape& shape = mesh.shapes[k];
    const mesh::BlendShape::Blend blend = shape.Find(part.weights[k]);
    for (const auto& [key, share] :
         {std::pair(blend.low, blend.low_part), std::pair(blend.high, blend.high_part)}) {
      if (key == nullptr) continue;
      for (size_t i = 0; i < key->offsets.size(); ++i) {
        const size_t p = shape.indices().empty() ? i : static_cast<size_t>(shape.indices()[i]);
        Affine mix;
        for (Vec3& row : mix.row) row = {};
        for (size_t n = p * per; n < (p + 1) * per; ++n) {
          const Affine& m = moved[static_cast<size_t>(mesh.joints[n])];
          for (size_t r = 0; r < 3; ++r) mix.row[r] = mix.row[r] + m.row[r] * mesh.weights[n];
        }
        const auto back = skel::Inverse(mix);
        if (!back) continue;
        const Affine way = skel::Mul(moved[static_cast<size_t>(joint)], *back);
        part.points[p] = part.points[p] + skel::TransformVector(way, key->offsets[i]) * share;
        if (key->normal_offsets.empty()) continue;
        const Vec3 n = part.normals[p] + skel::TransformVector(way, key->normal_offsets[i]) * share;
        if (skel::Length(n) > 1e-9f) part.normals[p] = skel::Normalized(n);
      }
    }
  }
}

absl::Status Deformer::MoveSkinned(const skel::PoseView& pose) {
  if (after_skin_ == nullptr) {
    auto made = AfterSkin::Make(*this);
    if (!made.ok()) return made.status();
    after_skin_ = *std::move(made);
  }
  lattice_values_.clear();
  for (const Lattice& lattice : character_->after_skin.lattices) {
    for (const Lattice::Move& move : lattice.moves) {
      lattice_values_.push_back(move.drive.gain * ValueOf(move.drive, pose));
    }
  }
  if (absl::Status s = after_skin_->Run(*this, lattice_values_); !s.ok()) return s;
  const PointSkin& skin = after_skin_->skin();
  for (size_t k = 0; k < skin.meshes().size(); ++k) {
    Part& part = parts_[skin.meshes()[k]];
    const auto from = static_cast<std::ptrdiff_t>(skin.first()[k]);
    std::copy_n(after_skin_->points().begin() + from, part.points.size(), part.points.begin());
    std::copy_n(after_skin_->normals().begin() + from, part.normals.size(), part.normals.begin());
  }
  return absl::OkStatus();
}

absl::Span<const Vec3> Deformer::skinned() const {
  return after_skin_ == nullptr ? absl::Span<const Vec3>() : after_skin_->skinned();
}

}  // namespace posewire::character
