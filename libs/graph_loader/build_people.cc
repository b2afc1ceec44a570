// What follows a user's body.
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/graph/user_pose_node.h"
#include "libs/graph_loader/builder.h"

namespace posewire::graph {

std::unique_ptr<Node> BuildNode(const v1::UserPoseNode& node, Builder& b) {
  auto parts = b.body_parts();
  UserPoseSettings settings;
  settings.user = node.user();
  settings.image_wise = node.image_wise();
  settings.hands = node.hands();
  settings.strength = b.MakeNumber("strength", node.has_strength(), node.strength(), 1, 0, 2);
  settings.tilt_variable = b.Variable("tilt_variable", node.tilt_variable(), VariableType::kNumber);
  const std::string& rig = b.rig()->name();
  if (parts->head < 0) {
    b.RigLacks("kind", absl::StrCat("rig ", rig, " has no head that could follow"));
  }
  if (settings.hands && !(parts->arms[0].complete() && parts->arms[1].complete())) {
    b.RigLacks("hands", absl::StrCat("rig ", rig, " lacks arms of shoulder, elbow and wrist"));
  }
  return std::make_unique<UserPoseNode>(std::move(parts), std::move(settings));
}

}  // namespace posewire::graph
