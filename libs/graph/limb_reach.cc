#include "libs/graph/limb_reach.h"

#include "libs/skel/limit_job.h"
#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"

namespace posewire::graph {
namespace {

using skel::Vec3;

// Tolerance beyond a limit.
constexpr float kWithin = 1e-4f;

float Excess(const skel::Rig& rig, int joint, skel::Quat q) {
  return AngleBetween(q, LimitedRotation(rig, joint, q));
}

// Rotates the limb about the line from its start to the target, as little as necessary, until the
// start is within its limits. If no rotation achieves that, uses the nearest one and returns false.
bool SwivelWithin(const skel::Rig& rig, int start, Vec3 to, const skel::PoseSpan& out) {
  const Vec3 line = to - PlaceOf(rig, out, start).at;
  if (Length(line) < 1e-4f) return false;
  const skel::Quat above = TurnOf(rig, out, rig.topology().parent(start));
  const Vec3 axis = Rotate(Conjugate(above), Normalized(line));
  const skel::Quat plain = out.rotation(start);
  const auto swivelled = [&](float angle) {
    return Normalized(Mul(skel::FromAxisAngle(axis, angle), plain));
  };
  constexpr float kStep = 0.04f;
  float best = 0, least = 1e9f;
  for (float size = kStep; size < 3.2f; size += kStep) {
    for (float side : {1.0f, -1.0f}) {
      const float excess = Excess(rig, start, swivelled(side * size));
      if (excess < kWithin) {
        float in = side * size, not_in = side * (size - kStep);
        for (int i = 0; i < 14; ++i) {
          const float middle = (in + not_in) / 2;
          (Excess(rig, start, swivelled(middle)) < kWithin ? in : not_in) = middle;
        }
        out.SetRotation(start, swivelled(in));
        return true;
      }
      if (excess < least) least = excess, best = side * size;
    }
  }
  out.SetRotation(start, swivelled(best));
  return false;
}

}  // namespace

bool ReachWithLimb(const skel::Rig& rig, const BodyParts::Limb& limb, int end, Vec3 offset, Vec3 to,
                   std::optional<Vec3> pole, const skel::PoseSpan& pose) {
  skel::TwoBoneIkJob job;
  job.rig = &rig;
  job.start = limb.start, job.middle = limb.middle, job.end = end;
  job.offset = offset;
  job.target = to;
  job.hinge = limb.hinge;
  job.pole = pole;
  job.pose = pose;
  job.Run();
  pose.SetRotation(limb.middle, LimitedRotation(rig, limb.middle, pose.rotation(limb.middle)));
  if (Excess(rig, limb.start, pose.rotation(limb.start)) < kWithin) return true;
  return SwivelWithin(rig, limb.start, to, pose);
}

}  // namespace posewire::graph
