#include "libs/graph/face_joints_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/skel/limit_job.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::Quat;
using skel::Vec3;

float WeightOf(const skel::PoseView& pose, int shape) {
  return shape >= 0 && pose.has_w[shape] ? pose.weights[shape] : 0;
}
void SetShape(int shape, float weight, const skel::PoseSpan& out) {
  if (shape >= 0) out.SetWeight(shape, std::clamp(weight, 0.0f, 1.0f));
}

}  // namespace

std::array<FaceJointsNode::Hinge, 3> FaceJointsNode::HingesOf(const BodyParts& parts) {
  const skel::Rig& rig = *parts.rig;
  Hinge jaw{parts.jaw, rig.FindShape("jawOpen"), -1, rig.FindShape("jawLeft"),
            rig.FindShape("jawRight")};
  jaw.down_deg = kJawOpenDegrees, jaw.across_deg = kJawAcrossDegrees;
  std::array<Hinge, 3> hinges{jaw};
  static constexpr const char* kNames[2][2] = {{"eyeBlinkLeft", "eyeWideLeft"},
                                               {"eyeBlinkRight", "eyeWideRight"}};
  for (size_t side = 0; side < 2; ++side) {
    Hinge lid{parts.lids[side], rig.FindShape(kNames[side][0]), rig.FindShape(kNames[side][1])};
    lid.down_deg = kLidClosedDegrees, lid.up_deg = kLidWideDegrees;
    hinges[side + 1] = lid;
  }
  return hinges;
}

bool FaceJointsNode::HasAny(const BodyParts& parts) {
  const Eyes eyes(&parts);
  const auto hinges = HingesOf(parts);
  return (eyes.has_shapes() && eyes.has_joints()) ||
         std::any_of(hinges.begin(), hinges.end(), [](const Hinge& h) { return h.complete(); });
}

FaceJointsNode::FaceJointsNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
                               Direction direction)
    : PassNode(std::move(below)),
      parts_(std::move(parts)),
      direction_(direction),
      eyes_(parts_.get()),
      hinges_(HingesOf(*parts_)) {}

void FaceJointsNode::ToJoint(const Hinge& h, const skel::PoseSpan& out) const {
  const float down = (WeightOf(out, h.down) * h.down_deg - WeightOf(out, h.up) * h.up_deg) * kDeg;
  const float left = (WeightOf(out, h.left) - WeightOf(out, h.right)) * h.across_deg * kDeg;
  const Quat turn = Mul(skel::FromAxisAngle({1, 0, 0}, down), skel::FromAxisAngle({0, 1, 0}, left));
  out.SetRotation(h.joint, LimitedRotation(*parts_->rig, h.joint, parts_->LocalOf(h.joint, turn)));
  for (int s : {h.down, h.up, h.left, h.right}) SetShape(s, 0, out);
}

void FaceJointsNode::ToShapes(const Hinge& h, const skel::PoseSpan& out) const {
  float down = 0, left = 0;
  if (out.has_r[h.joint]) {
    const Vec3 d = Rotate(parts_->TurnOfLocal(h.joint, out.rotation(h.joint)), {0, 0, 1});
    down = std::atan2(-d.y, d.z) / kDeg;
    left = std::asin(std::clamp(d.x, -1.0f, 1.0f)) / kDeg;
  }
  SetShape(h.down, down / h.down_deg, out);
  SetShape(h.up, -down / h.up_deg, out);
  SetShape(h.left, left / h.across_deg, out);
  SetShape(h.right, -left / h.across_deg, out);
  out.SetRotation(h.joint, parts_->rig->rest().rotation(h.joint));
}

void FaceJointsNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  below().Evaluate(ctx, out);
  const bool to_joints = direction_ == Direction::kShapesToJoints;
  for (const Hinge& hinge : hinges_) {
    if (!hinge.complete()) continue;
    to_joints ? ToJoint(hinge, out) : ToShapes(hinge, out);
  }
  if (!eyes_.has_shapes() || !eyes_.has_joints()) return;
  for (int side : {0, 1}) {
    if (to_joints) {
      eyes_.ToJoints(eyes_.FromShapes(out, side), side, out);
      eyes_.ToShapes({}, side, out);
    } else {
      eyes_.ToShapes(eyes_.FromJoints(out, side), side, out);
      eyes_.ToJoints({}, side, out);
    }
  }
}

}  // namespace posewire::graph
