// Keeps feet from sliding and from sinking into the ground.
#ifndef POSEWIRE_LIBS_GRAPH_FEET_NODE_H_
#define POSEWIRE_LIBS_GRAPH_FEET_NODE_H_

#include <array>
#include <memory>

#include "libs/graph/body_parts.h"
#include "libs/graph/pass_node.h"

namespace posewire::graph {

struct FeetSettings {
  // A foot slower and lower (above its height at rest) than this is held.
  double speed_m_s = 0.3, height_m = 0.04;
};

// A held foot keeps its rotation and its place on the ground, which it comes down to. It is
// released at half as much again of either limit, or when the animation is more than a short step
// away; then it blends back to the animation in a quarter of a second. Hips sink where a leg would
// be too short. Feet that are not held do not sink into the ground either.
class FeetNode : public PassNode {
 public:
  // The rig must have both legs.
  FeetNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
           FeetSettings settings);

  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

  // Of the last tick; 0 is the left one.
  bool held(size_t side) const { return feet_[side].held; }

 private:
  struct Foot {
    bool known = false, held = false;
    skel::Vec3 animated;  // of the last tick, where it is above the ground
    skel::Vec3 shown_at;  // of the last tick
    skel::Quat shown_turn;
    skel::Vec3 off;  // what a foot that was let go still differs by
    skel::Quat off_turn;
    float dip = 0;       // how far the toes point down below the ankle, more than at rest
    float let_go_s = 1;  // since then
  };
  void StepFoot(size_t side, double dt_s, const skel::PoseView& pose);
  void SinkHips(const skel::PoseSpan& out) const;
  void PlaceFoot(size_t side, const skel::PoseSpan& out) const;

  std::shared_ptr<const BodyParts> parts_;
  FeetSettings settings_;
  std::array<Foot, 2> feet_;
  std::array<float, 2> leg_m_{};
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_FEET_NODE_H_
