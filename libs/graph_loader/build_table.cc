// Selects the build function for each kind of node.
#include "absl/strings/str_cat.h"
#include "libs/graph_loader/builder.h"

namespace posewire::graph {

std::unique_ptr<Node> Builder::Build(const v1::Node& node) {
  using Kind = v1::Node;
  switch (node.kind_case()) {
    case Kind::kProvider:
      return BuildNode(node.provider(), *this);
    case Kind::kGesture:
      return BuildNode(node.gesture(), *this);
    case Kind::kSpeechGesture:
      return BuildNode(node.speech_gesture(), *this);
    case Kind::kIdle:
      return BuildNode(node.idle(), *this);
    case Kind::kBlink:
      return BuildNode(node.blink(), *this);
    case Kind::kClip:
      return BuildNode(node.clip(), *this);
    case Kind::kPose:
      return BuildNode(node.pose(), *this);
    case Kind::kBlend:
      return BuildNode(node.blend(), *this);
    case Kind::kBlendSpace1D:
      return BuildNode(node.blend_space_1d(), *this);
    case Kind::kBlendSpace2D:
      return BuildNode(node.blend_space_2d(), *this);
    case Kind::kAdditive:
      return BuildNode(node.additive(), *this);
    case Kind::kLayer:
      return BuildNode(node.layer(), *this);
    case Kind::kStateMachine:
      return BuildNode(node.state_machine(), *this);
    case Kind::kRests:
      return BuildNode(node.rests(), *this);
    case Kind::kMirror:
      return BuildNode(node.mirror(), *this);
    case Kind::kDelay:
      return BuildNode(node.delay(), *this);
    case Kind::kArrangement:
      return BuildNode(node.arrangement(), *this);
    case Kind::kTimeline:
      return BuildNode(node.timeline(), *this);
    case Kind::kUserPose:
      return BuildNode(node.user_pose(), *this);
    case Kind::kUserActs:
      return BuildNode(node.user_acts(), *this);
    case Kind::kListen:
      return BuildNode(node.listen(), *this);
    case Kind::kLookAt:
      return BuildNode(node.look_at(), *this);
    case Kind::kTurnTo:
      return BuildNode(node.turn_to(), *this);
    case Kind::kWalkTo:
      return BuildNode(node.walk_to(), *this);
    case Kind::kSelfCollision:
      return BuildNode(node.self_collision(), *this);
    case Kind::kLimits:
      return BuildNode(node.limits(), *this);
    case Kind::kPin:
      return BuildNode(node.pin(), *this);
    case Kind::kTwoBoneIk:
      return BuildNode(node.two_bone_ik(), *this);
    case Kind::kHand:
      return BuildNode(node.hand(), *this);
    case Kind::kFeet:
      return BuildNode(node.feet(), *this);
    case Kind::kFaceJoints:
      return BuildNode(node.face_joints(), *this);
    case Kind::kCamera:
      return BuildNode(node.camera(), *this);
    case Kind::KIND_NOT_SET:
      break;
  }
  Error("kind", "one kind of node must be given (clip, provider, layer, ...)");
  return nullptr;
}

}  // namespace posewire::graph
