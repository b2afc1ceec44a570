// Moves the whole avatar over the ground to a place, and turns it to face a target there.
//
// This node only computes the position and heading of the body; FeetNode above it adds the walking.
// The body turns towards its goal before it speeds up, moves straight, slows down so that it stops
// at the goal, and turns to its `face` target during the last steps. It moves to near goals
// sideways or backwards, without turning.
#ifndef POSEWIRE_LIBS_GRAPH_WALK_TO_NODE_H_
#define POSEWIRE_LIBS_GRAPH_WALK_TO_NODE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libs/graph/body_parts.h"
#include "libs/graph/goal_choice.h"
#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/target.h"

namespace posewire::graph {

struct WalkToSettings {
  struct Goal {
    Target target;
    double stop_m = 0;  // distance from the target at which it stops
  };
  std::vector<Goal> goals;
  GoalChoice choice;  // none: it stays where it is
  Target face;        // kind kNone: it faces the target before which it stops, or its direction of
                      // motion
  Number speed_m_s = 1.2;
  int arrived_event = -1;  // event of the graph, fired at the goal
};

// At the goal it reports GraphEvent::kPlaceReached, once for each goal that is set. It follows a
// target that moves away by more than 0.4 m. A lost target counts as reached: it stops where it is.
// Without a goal it also stays where it is.
class WalkToNode : public PassNode {
 public:
  // `name`: the node's name, for events.
  WalkToNode(std::string name, std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
             WalkToSettings settings);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

  // Displacement over the ground from the animation's place; radians to the left.
  skel::Vec3 place() const { return state_.at; }
  float heading() const { return state_.heading; }

 private:
  struct State {
    skel::Vec3 at, speed_m_s, push_m_s2;
    float heading = 0, turning_rad_s = 0;
    int goal = -1;
    bool goes = false, told = true, turns = false;  // turns: towards its direction of motion
  };
  // The place and heading for this tick.
  struct Aim {
    skel::Vec3 place;
    std::optional<skel::Vec3> face;
  };

  std::optional<Aim> FindAim(const TickContext& ctx, const skel::PoseView& pose, skel::Vec3 at);
  void Choose(const TickContext& ctx);
  void Move(float dt_s, const std::optional<Aim>& aim, skel::Vec3 from);
  void Turn(float dt_s, std::optional<float> heading);

  std::string name_;
  std::shared_ptr<const BodyParts> parts_;
  WalkToSettings settings_;
  uint32_t sets_ = 0;
  State state_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_WALK_TO_NODE_H_
