// A hand that reaches for objects, holds them and carries them.
//
// The hand moves along its path (HandWay) in the avatar's space, and the body follows it: where the
// arm is too short for a point of the path, the trunk leans, distributed by the stiffness of the
// rig's spine; then the arm reaches with its elbow low and outside, and the forearm's twist and the
// wrist rotate the hand. People lean before their arm is fully extended (Mark et al., "Postural
// dynamics and the preferred critical boundary for visually guided reaching", J. Exp. Psychology:
// HPP 23, 1997), and look at an object before the hand starts (Land, Mennie, Rusted, "The roles of
// vision and eye movements in the control of activities of daily living", Perception 28, 1999): a
// look_at of the same variable moves the eyes, and the hand waits for them.
#ifndef POSEWIRE_LIBS_GRAPH_HAND_NODE_H_
#define POSEWIRE_LIBS_GRAPH_HAND_NODE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libs/graph/body_parts.h"
#include "libs/graph/goal_choice.h"
#include "libs/graph/hand_way.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/target.h"
#include "libs/skel/hand_grip.h"

namespace posewire::graph {

struct HandSettings {
  struct Goal {
    Target target;
    std::string carry;  // the site of the prop in the hand; empty: the hand itself
    float tip_rad = 0;
    int arrived_event = -1;
  };
  int side = 1;  // 0: left, 1: right
  std::vector<Goal> goals;
  GoalChoice choice;
  double eyes_lead_s = 0.2, pace = 1;
  int arrived_event = -1;
};

// If a goal does not exist, the hand returns to the animation, as without a goal. When the hand has
// arrived, or is as near as it can come, this is reported once (GraphEvent::kPropReached,
// kPropOutOfReach). A hand that holds a prop stays closed on it, with or without a goal.
class HandNode : public PassNode {
 public:
  // `parts` must have a complete arm on this side, and the rig a hand.
  HandNode(std::string name, std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
           HandSettings settings);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

 private:
  std::optional<skel::Placement> PlaceOfGoal(const TickContext& ctx, const HandSettings::Goal& goal,
                                             const skel::PoseView& pose) const;
  // Returns the natural rotation of a hand at `at`, coming from its shoulder, with its thumb
  // towards `up`.
  skel::Quat NaturalTurn(skel::Vec3 at, skel::Vec3 up, const skel::PoseView& pose) const;
  void Choose(const TickContext& ctx, const skel::Placement& animated,
              const std::optional<skel::Placement>& goal);
  void Lean(skel::Vec3 to, const skel::PoseSpan& out) const;
  void Bring(const skel::Placement& to, float own_elbow, const skel::PoseSpan& out) const;
  void TurnHand(skel::Quat turn, skel::Quat animated, const skel::PoseSpan& out) const;
  void Tell(const TickContext& ctx, const skel::Placement& goal, const skel::PoseView& out);

  std::string name_;
  std::shared_ptr<const BodyParts> parts_;
  HandSettings settings_;
  skel::HandGrip grip_;
  BodyParts::Limb arm_;
  float arm_m_ = 0;       // from the shoulder to the wrist
  int trunk_top_ = -1;    // the base of the neck
  int trunk_joints_ = 0;  // from above that down to the lowest of the spine

  HandWay way_;
  int goal_ = -1;        // the hand's current goal, on the way or reached
  double waited_s_ = 0;  // for the eyes
  bool told_ = false;
  skel::Placement last_goal_;
  float elbow_ = 0;  // 0: as animated .. 1: as the path requires
  float elbow_from_ = 0;
  EasedWeight closed_{0.3f};
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_HAND_NODE_H_
