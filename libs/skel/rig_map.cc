#include "libs/skel/rig_map.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "libs/skel/wide_math.h"

namespace posewire::skel {
namespace {

Quat RotationOrRest(const PoseView& in, const PoseView& rest, int j) {
  return in.has_r[j] ? in.rotation(j) : rest.rotation(j);
}

// Converts a scale to the axes of `to`; `turn` rotates from those of `from`.
Vec3 TurnScale(Vec3 s, Quat turn) {
  const auto along = [&](Vec3 axis) {
    const Vec3 a = Rotate(turn, axis);
    return a.x * a.x * s.x + a.y * a.y * s.y + a.z * a.z * s.z;
  };
  return {along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})};
}

}  // namespace

bool RigMap::ApplyRotation(const Joint& joint, const PoseView& in, const PoseSpan& out) const {
  bool known = false;
  WideQuat q = Wide(joint.before);
  for (const Link& link : LinksOf(joint)) {
    known = known || in.has_r[link.joint];
    const WideQuat r = Wide(RotationOrRest(in, from_->rest(), link.joint));
    q = Mul(q, link.inverse ? Conjugate(r) : r);
  }
  if (!known) return false;
  out.SetRotation(joint.to, Narrow(Normalized(Mul(q, Wide(joint.after)))));

  if (joint.above >= 0 && !out.has_r[joints_[static_cast<size_t>(joint.above)].to]) return true;
  for (const int j : RestsOf(joint)) out.SetRotation(j, to_->rest().rotation(j));
  return true;
}

void RigMap::ApplyHips(const PoseView& in, const PoseSpan& out) const {
  const Joint& joint = joints_[static_cast<size_t>(hips_.joint)];
  const PoseView rest = from_->rest();
  bool known = false;
  WideVec3 at;
  WideQuat turn;
  for (const Link& link : LinksOf(joint)) {
    const int j = link.joint;
    known = known || in.has_t[j];
    at = at + Rotate(turn, Wide(in.has_t[j] ? in.translation(j) : rest.translation(j)));
    turn = Mul(turn, Wide(RotationOrRest(in, rest, j)));
  }
  if (!known) return;
  turn = Normalized(turn);
  const WideVec3 point = at + Rotate(turn, Wide(hips_.offset_from));
  const WideVec3 point_to =
      Wide(hips_.point_to) + (point - Wide(hips_.point_from)) * static_cast<double>(hips_.scale);
  const WideQuat turn_to = Mul(turn, Normalized(Wide(joint.after)));
  const WideVec3 at_to = point_to - Rotate(turn_to, Wide(hips_.offset_to));
  const WideQuat above = Normalized(Wide(hips_.above_turn));
  out.SetTranslation(joint.to, Narrow(Rotate(Conjugate(above), at_to - Wide(hips_.above_to))));
  for (const int j : RestsOf(joint)) out.SetTranslation(j, to_->rest().translation(j));
}

void RigMap::Apply(const PoseView& in, const PoseSpan& out) const {
  if (in.joints != from_->joints() || in.shapes != from_->shapes() || out.joints != to_->joints() ||
      out.shapes != to_->shapes()) {
    return;
  }
  out.ClearPresence();
  for (const Joint& joint : joints_) {
    ApplyRotation(joint, in, out);
    if (joint.copies_translation && in.has_t[joint.from]) {
      out.SetTranslation(joint.to, in.translation(joint.from) + joint.translation_shift);
    }
    if (joint.copies_scale && in.has_s[joint.from]) {
      out.SetScale(joint.to, TurnScale(in.scale(joint.from), joint.after));
    }
  }
  if (hips_.joint >= 0) ApplyHips(in, out);
  for (const auto& [from, to] : shapes_) {
    if (in.has_w[from]) out.SetWeight(to, in.weights[from]);
  }
}

namespace {

// Returns whether the names are more human bones in a naming convention that is not the rig's:
// Mixamo's LeftLeg is a shank, and ACE's a thigh.
bool MeansOthers(const absl::flat_hash_set<absl::string_view>& names, const Rig& rig) {
  RigParts parts;
  parts.name = "names";
  for (const absl::string_view name : names) parts.joint_paths.emplace_back(name);
  parts.rest_translations.resize(names.size());
  const auto named = Rig::Make(std::move(parts));
  if (!named.ok() || (*named)->humanoid().Count() < kLeastBones) return false;
  absl::flat_hash_set<int> joints;
  for (const absl::string_view name : names) joints.insert(rig.FindJoint(name));
  const auto bones = std::count_if(joints.begin(), joints.end(), [&rig](int joint) {
    return rig.humanoid().BoneOf(joint).has_value();
  });
  return (*named)->humanoid().Count() > bones;
}

}  // namespace

std::shared_ptr<const Rig> RecognizeRig(absl::Span<const std::string> names,
                                        const RigCatalog& catalog) {
  absl::flat_hash_set<absl::string_view> leaves;
  for (const absl::string_view name : names) leaves.insert(LastPathElement(name));
  std::shared_ptr<const Rig> best;
  size_t most = leaves.size() / 2;
  for (const std::string& rig_name : catalog.names()) {
    const absl::StatusOr<std::shared_ptr<const Rig>> rig = catalog.Find(rig_name);
    const auto known = static_cast<size_t>(
        std::count_if(leaves.begin(), leaves.end(),
                      [&](absl::string_view leaf) { return (*rig)->FindJoint(leaf) >= 0; }));
    if (known <= most) continue;
    most = known;
    best = *rig;
  }
  return best == nullptr || MeansOthers(leaves, *best) ? nullptr : best;
}

}  // namespace posewire::skel
