// Keeps standing feet in place, and makes steps when they must move.
//
// A foot that is slow and low is held: its rotation and its place on the ground are kept,
// regardless of easing, sway and turns above it. The hips sink if a leg would be too short. If the
// node below moves a held foot elsewhere, because the body has turned or its stance has changed, it
// steps there: one foot at a time, first the one on the side of the turn, while the hips move over
// the other one. If the whole body is moved over the ground, it walks (Gait). If the animation
// itself lifts a foot or moves it over the ground, as in a walk cycle, the foot is released and
// blends back to the animation. Feet that are not held do not sink into the ground either.
//
// A turning body carries its feet along: they are fast, but they are not walking. Therefore a foot
// counts as moved by the animation only if it is fast both over the ground and relative to the
// body.
#ifndef POSEWIRE_LIBS_GRAPH_FEET_NODE_H_
#define POSEWIRE_LIBS_GRAPH_FEET_NODE_H_

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "libs/graph/body_parts.h"
#include "libs/graph/foot_step.h"
#include "libs/graph/gait.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/stepper.h"
#include "libs/skel/model_place.h"

namespace posewire::graph {

struct FeetSettings {
  // A foot slower and lower (above its height at rest) than this is held.
  double speed_m_s = 0.3, height_m = 0.04;
  // Whether feet are also held while a live source pushes the body. Such feet never step.
  bool pushed = false;
  // Sources whose pushes are ignored for this.
  std::vector<std::string> besides = {};
};

// A held foot is released at one and a half times either limit, or when its target is far away; it
// then blends back to the animation in a quarter of a second. A step begins when the target of a
// foot is 0.12 m or 25 degrees from its place, or a third of that once the body has come to rest;
// see Stepper.
//
// If both feet are already in place, nothing is written. The same is true for a body whose legs or
// root a live source pushes, unless the settings say otherwise.
class FeetNode : public PassNode {
 public:
  // The rig must have both legs.
  FeetNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
           FeetSettings settings);

  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

  // State at the last tick; 0 is the left foot. A stepping foot is not held.
  bool held(size_t side) const { return feet_[side].held; }
  bool steps(size_t side) const {
    const int i = static_cast<int>(side);
    return stepper_.stepping() == i || gait_.swinging() == i;
  }
  bool walks() const { return gait_.walks(); }

 private:
  struct Foot {
    bool known = false, held = false;
    skel::Vec3 animated;  // of the last tick, above the ground
    skel::Vec3 from_top;  // the same, relative to the rig's topmost joint
    skel::Vec3 off;       // remaining offset of a released foot
    skel::Quat off_turn;
    float dip = 0;       // how far the toes point down below the ankle, compared with rest
    float let_go_s = 1;  // time since release
  };

  bool Pushed(const TickContext& ctx) const;
  bool InPlace(const std::array<skel::Placement, 2>& ankles) const;
  float DipOf(size_t side, skel::Vec3 ankle, const skel::PoseView& pose) const;
  void Track(size_t side, float dt_s, bool pushed, const skel::Placement& ankle, skel::Vec3 above,
             const skel::Placement& top);
  float LongerLeg(const skel::PoseView& pose) const;
  void Step(float dt_s, bool pushed, const skel::PoseView& pose);
  void Blend(size_t side, float dt_s, const skel::Placement& ankle, skel::Vec3 above, float dip);
  void RaiseHeels(float dt_s, const skel::PoseView& pose);
  void SinkHips(const skel::PoseSpan& out) const;
  void PlaceFoot(size_t side, const skel::PoseSpan& out) const;

  std::shared_ptr<const BodyParts> parts_;
  FeetSettings settings_;
  std::array<float, 2> leg_m_{};
  std::array<Foot, 2> feet_;
  std::array<WantedFoot, 2> wanted_;
  std::array<FootPlace, 2> shown_;  // of the last tick
  Stepper stepper_;
  skel::Vec3 stepping_m_s_;  // of the stepping foot
  Gait gait_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_FEET_NODE_H_
