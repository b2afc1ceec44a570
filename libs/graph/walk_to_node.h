// Carries the whole avatar over the ground to a place, and turns it to somebody there.
//
// This is only the way: where the body is and where it faces. FeetNode above it makes it walk. The
// body turns to where it goes before it gathers speed, goes straight on, slows down so that it ends
// on the spot, and turns to whom it is to face while it takes the last steps. What is near is not
// worth a turn: it goes there sideways or backwards.
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
    double stop_m = 0;  // it ends so far before the target
  };
  std::vector<Goal> goals;
  GoalChoice choice;  // none: it stays where it is
  Target face;        // of kind kNone: it faces the target that it stops before, or where it went
  Number speed_m_s = 1.2;
  int arrived_event = -1;  // of the graph, fired where it ends
};

// Where it ends it tells GraphEvent::kPlaceReached, once for each goal that is set. A target that
// moves away by more than 0.4 m is followed. One that is lost is as good as reached: it stops where
// it is. Without a goal it stays where it is, too.
class WalkToNode : public PassNode {
 public:
  // `name`: of the node, in events.
  WalkToNode(std::string name, std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
             WalkToSettings settings);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

  // Over the ground from where the animation has it; radians to the left.
  skel::Vec3 place() const { return state_.at; }
  float heading() const { return state_.heading; }

 private:
  struct State {
    skel::Vec3 at, speed_m_s, push_m_s2;
    float heading = 0, turning_rad_s = 0;
    int goal = -1;
    bool goes = false, told = true, turns = false;  // turns: to where it goes
  };
  // What the body heads for at this tick.
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
