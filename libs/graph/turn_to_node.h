// Turns the whole avatar to a target, about its feet.
#ifndef POSEWIRE_LIBS_GRAPH_TURN_TO_NODE_H_
#define POSEWIRE_LIBS_GRAPH_TURN_TO_NODE_H_

#include <memory>

#include "libs/graph/body_parts.h"
#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/target.h"

namespace posewire::graph {

struct TurnToSettings {
  Target target;
  Number weight = 1;
  // 180: all the way around. Starts and stops smoothly.
  double limit_deg = 180, speed_deg_s = 90;
};

// Rotates the rig's topmost joint about the vertical axis midway between its feet, in addition to
// the animation. It turns to a target that appears, and back from one that disappears, at the same
// speed. Beyond the limit it stays on its side until the target is well past the back.
class TurnToNode : public PassNode {
 public:
  TurnToNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
             TurnToSettings settings);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

 private:
  float Goal(skel::Vec3 way) const;

  std::shared_ptr<const BodyParts> parts_;
  TurnToSettings settings_;
  float angle_ = 0, speed_ = 0;  // to the left; radians
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_TURN_TO_NODE_H_
