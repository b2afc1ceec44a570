// Jaw, eyes and lids: makes joints follow shapes, or shapes follow joints.
#ifndef POSEWIRE_LIBS_GRAPH_FACE_JOINTS_NODE_H_
#define POSEWIRE_LIBS_GRAPH_FACE_JOINTS_NODE_H_

#include <array>
#include <memory>

#include "libs/graph/body_parts.h"
#include "libs/graph/eye_angles.h"
#include "libs/graph/pass_node.h"

namespace posewire::graph {

// Rotation of joints when their shape is at 1, in degrees.
inline constexpr float kJawOpenDegrees = 24, kJawAcrossDegrees = 8;
inline constexpr float kLidClosedDegrees = 40, kLidWideDegrees = 10;

// The follower is set only from the leader, and the leader is then put to rest, so that no motion
// is applied twice. Pairs of which the rig has only one side are not changed. Pairs: the jaw with
// jawOpen, jawLeft and jawRight; each eye with its four look shapes; each upper lid with eyeBlink
// and eyeWide.
class FaceJointsNode : public PassNode {
 public:
  enum class Direction : uint8_t { kShapesToJoints, kJointsToShapes };

  FaceJointsNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
                 Direction direction);

  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;

  // Returns whether the rig has any pair.
  static bool HasAny(const BodyParts& parts);

 private:
  // A joint that rotates up and down, and across, with the shapes for it; -1 for none.
  struct Hinge {
    int joint = -1, down = -1, up = -1, left = -1, right = -1;
    float down_deg = 1, up_deg = 1, across_deg = 1;
    bool complete() const { return joint >= 0 && down >= 0; }
  };
  static std::array<Hinge, 3> HingesOf(const BodyParts& parts);
  void ToJoint(const Hinge& hinge, const skel::PoseSpan& out) const;
  void ToShapes(const Hinge& hinge, const skel::PoseSpan& out) const;

  std::shared_ptr<const BodyParts> parts_;
  Direction direction_;
  Eyes eyes_;
  std::array<Hinge, 3> hinges_;  // jaw and lids
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_FACE_JOINTS_NODE_H_
