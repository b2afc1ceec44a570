#include "libs/skel/model_place.h"

namespace posewire::skel {
namespace {

Quat LocalTurn(const Rig& rig, const PoseView& pose, int j) {
  return pose.has_r[j] ? pose.rotation(j) : rig.rest().rotation(j);
}

}  // namespace

Placement PlaceOf(const Rig& rig, const PoseView& pose, int joint, Vec3 offset) {
  Placement p{offset, {}};
  for (int j = joint; j >= 0; j = rig.topology().parent(j)) {
    const Quat r = LocalTurn(rig, pose, j);
    const Vec3 s = pose.has_s[j] ? pose.scale(j) : rig.rest().scale(j);
    const Vec3 t = pose.has_t[j] ? pose.translation(j) : rig.rest().translation(j);
    p.at = t + Rotate(r, {s.x * p.at.x, s.y * p.at.y, s.z * p.at.z});
    p.turn = Mul(r, p.turn);
  }
  p.turn = Normalized(p.turn);
  return p;
}

Quat TurnOf(const Rig& rig, const PoseView& pose, int joint) {
  Quat q;
  for (int j = joint; j >= 0; j = rig.topology().parent(j)) q = Mul(LocalTurn(rig, pose, j), q);
  return Normalized(q);
}

void TurnInModel(const Rig& rig, int joint, Quat turn, const PoseSpan& pose) {
  const Quat above = TurnOf(rig, pose, rig.topology().parent(joint));
  const Quat local = Mul(Mul(Conjugate(above), turn), above);
  pose.SetRotation(joint, Normalized(Mul(local, LocalTurn(rig, pose, joint))));
}

void MoveInModel(const Rig& rig, int joint, Vec3 by, const PoseSpan& pose) {
  const Quat above = TurnOf(rig, pose, rig.topology().parent(joint));
  const Vec3 at = pose.has_t[joint] ? pose.translation(joint) : rig.rest().translation(joint);
  pose.SetTranslation(joint, at + Rotate(Conjugate(above), by));
}

}  // namespace posewire::skel
