// Builds constraints, which come last.
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/graph/face_joints_node.h"
#include "libs/graph/feet_node.h"
#include "libs/graph/limits_node.h"
#include "libs/graph/reach_node.h"
#include "libs/graph/self_collision_node.h"
#include "libs/graph_loader/build_target.h"
#include "libs/graph_loader/builder.h"
#include "libs/skel/chain_ik_job.h"

namespace posewire::graph {

std::unique_ptr<Node> BuildNode(const v1::LimitsNode& node, Builder& b) {
  return std::make_unique<LimitsNode>(b.rig(), b.EasedChild("below", node.below()));
}

std::unique_ptr<Node> BuildNode(const v1::SelfCollisionNode& node, Builder& b) {
  auto below = b.EasedChild("below", node.below());
  auto parts = b.body_parts();
  if (!parts->arms[0].complete() && !parts->arms[1].complete()) {
    b.RigLacks("kind",
               absl::StrCat("rig ", b.rig()->name(), " lacks arms of shoulder, elbow and wrist"));
    return below;
  }
  auto body = b.Shared("self collision",
                       [&] { return std::make_shared<const SelfCollisionBody>(std::move(parts)); });
  return std::make_unique<SelfCollisionNode>(std::move(body), std::move(below));
}

std::unique_ptr<Node> BuildNode(const v1::PinNode& node, Builder& b) {
  auto below = b.EasedChild("below", node.below());
  const int joint = b.rig()->FindJoint(node.joint());
  if (joint < 0) {
    b.RigLacks("joint", absl::StrCat("rig ", b.rig()->name(), " has no joint \"",
                                     absl::CHexEscape(node.joint()), "\""));
  }
  Target target = MakeTarget("target", node.target(), true, b);
  const Number weight = b.MakeNumber("weight", node.has_weight(), node.weight(), 1, 0, 1);
  const double chain = PlainOr("chain", node.chain(), 3, 1, skel::ChainIkJob::kMostChain, b);
  if (joint < 0) return below;
  if (b.rig()->topology().parent(joint) < 0) {
    b.Error("joint", absl::StrCat("\"", node.joint(), "\" has no joint above it that could turn"));
    return below;
  }
  return std::make_unique<PinNode>(b.body_parts(), std::move(below), std::move(target), weight,
                                   joint, static_cast<int>(chain));
}

std::unique_ptr<Node> BuildNode(const v1::TwoBoneIkNode& node, Builder& b) {
  auto below = b.EasedChild("below", node.below());
  const BodyPlace end = PlaceOnBody("end", node.end(), b);
  Target target = MakeTarget("target", node.target(), false, b);
  const Number weight = b.MakeNumber("weight", node.has_weight(), node.weight(), 1, 0, 1);
  std::optional<skel::Vec3> pole;
  if (node.has_pole()) {
    pole = {static_cast<float>(b.Plain("pole", node.pole().x(), -100, 100)),
            static_cast<float>(b.Plain("pole", node.pole().y(), -100, 100)),
            static_cast<float>(b.Plain("pole", node.pole().z(), -100, 100))};
  }
  if (end.joint < 0) return below;
  auto parts = b.body_parts();
  const BodyParts::Limb limb = LimbOf(*parts, end.joint);
  if (!limb.complete()) {
    b.RigLacks("end", absl::StrCat("\"", node.end(), "\" has fewer than two joints above it"));
    return below;
  }
  return std::make_unique<TwoBoneIkNode>(std::move(parts), std::move(below), std::move(target),
                                         weight, limb, end.joint, end.offset, pole);
}

std::unique_ptr<Node> BuildNode(const v1::FeetNode& node, Builder& b) {
  auto below = b.EasedChild("below", node.below());
  FeetSettings settings;
  settings.speed_m_s = PlainOr("speed_m_s", node.speed_m_s(), settings.speed_m_s, 0.01, 10, b);
  settings.height_m = PlainOr("height_m", node.height_m(), settings.height_m, 0.001, 1, b);
  settings.pushed = node.pushed();
  settings.besides.assign(node.besides_source_service_ids().begin(),
                          node.besides_source_service_ids().end());
  auto parts = b.body_parts();
  if (!parts->legs[0].complete() || !parts->legs[1].complete()) {
    b.RigLacks("kind", absl::StrCat("rig ", b.rig()->name(), " lacks legs of hip, knee and ankle"));
    return below;
  }
  return std::make_unique<FeetNode>(std::move(parts), std::move(below), settings);
}

std::unique_ptr<Node> BuildNode(const v1::FaceJointsNode& node, Builder& b) {
  auto below = b.EasedChild("below", node.below());
  auto parts = b.body_parts();
  if (!FaceJointsNode::HasAny(*parts)) {
    b.RigLacks("kind", absl::StrCat("rig ", b.rig()->name(),
                                    " has no jaw, eyes or lids with shapes for them"));
    return below;
  }
  const auto direction = node.direction() == v1::FaceJointsNode::JOINTS_TO_SHAPES
                             ? FaceJointsNode::Direction::kJointsToShapes
                             : FaceJointsNode::Direction::kShapesToJoints;
  // Two of them on top of each other would undo or double the first one's effect.
  for (const v1::Node& other : b.stock().graph->nodes()) {
    if (other.has_face_joints() && other.name() != b.name()) {
      b.Error("kind", absl::StrCat("node \"", other.name(),
                                   "\" is of this kind too; one is enough for a face"));
      break;
    }
  }
  return std::make_unique<FaceJointsNode>(std::move(parts), std::move(below), direction);
}

}  // namespace posewire::graph
