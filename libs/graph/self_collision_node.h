// Keeps hands out of the chest, arms out of the hips, and hands out of each other.
//
// Postures, gestures and easing are made and mixed independently: each is valid on its own, but
// their sum may put a wrist into the pelvis. Therefore the final pose is corrected, not the clips.
// If a volume is too deep in another (skel::Capsules), its whole arm is rotated about the shoulder,
// as far as necessary and no further, so that elbow and hand keep their shape.
//
// Each tick starts from the correction of the previous one, which fades in a few tenths of a second
// where nothing holds it. Therefore the correction stays on the side on which it began, although
// the pose below may pass through the middle of the body, and it does not jump when a hand arrives
// or leaves. This side is the front, the back or the arm's own side of the body: a way out that
// leads to the other side, from which the arm could not come back, is replaced by the front. Two
// hands are different, since they may pass each other: when they are folded again, each is where it
// was. A correction changes no faster than an arm swings, and fades more slowly than that, so that
// a contact on its way can push it.
//
// While nothing is near, and the joints of the arms, spine and neck do not rotate far enough to
// change that, only every sixteenth tick checks for overlaps.
//
// The contacts are solved one after the other, several times: Gauss-Seidel iteration, as in
// position based dynamics (Mueller et al., Journal of Visual Communication 18(2), 2007).
#ifndef POSEWIRE_LIBS_GRAPH_SELF_COLLISION_NODE_H_
#define POSEWIRE_LIBS_GRAPH_SELF_COLLISION_NODE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "libs/graph/body_parts.h"
#include "libs/graph/pass_node.h"
#include "libs/skel/capsules.h"

namespace posewire::graph {

// Data that all avatars on a rig share. Immutable; any thread.
struct SelfCollisionBody {
  enum Part : uint8_t { kLeftArm, kRightArm, kSpine, kNeck, kParts };
  // A joint whose rotation is used to estimate how far a limb, or a part of the spine or neck, has
  // moved.
  struct Watched {
    int joint = -1;
    float lever_m = 0;  // how far a hand moves when it rotates by one radian
    Part part = kParts;
  };
  static constexpr size_t kMostWatched = 14;

  // Arms that the rig lacks are not watched.
  explicit SelfCollisionBody(std::shared_ptr<const BodyParts> body_parts);

  std::shared_ptr<const BodyParts> parts;
  skel::Capsules capsules;
  std::vector<Watched> watched;  // at most kMostWatched
  std::array<size_t, 2> hips{};  // indices in capsules.all(), left and right; both 0: there are
                                 // none

 private:
  void WatchArm(Part part);
  void WatchRun(Part part, const std::vector<int>& run, float from, float to, float lever_m);
};

// Overlaps of less than 4 mm are allowed, because touching is not an error. An arm that a live
// source pushes is not corrected. Nothing is written if nothing is too deep.
class SelfCollisionNode : public PassNode {
 public:
  // Arms that the rig lacks are not corrected.
  SelfCollisionNode(std::shared_ptr<const SelfCollisionBody> body, std::unique_ptr<Node> below)
      : PassNode(std::move(below)), body_(std::move(body)) {}

  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

 private:
  struct Arm {
    // Corrections of the last tick, in the space of the joint above the shoulder: `out_of_body` out
    // of the body only; `turn`, the shown one, also out of the other hand.
    skel::Quat out_of_body, turn;
    bool turned = false;  // at least one of them is not the identity
  };
  // An arm during solving, in model space.
  struct Solved {
    bool free = false;  // it may be rotated
    skel::Vec3 shoulder;
    skel::Quat above, turn;
  };

  bool Pushed(const TickContext& ctx, size_t side) const;
  bool Still(const skel::PoseView& pose) const;
  bool Free() const;
  void Remember(const skel::PoseView& pose, const skel::Capsules::Lines& lines);
  void Begin(size_t side, const skel::PoseView& pose, float dt_s, Solved& arm,
             skel::Capsules::Lines& lines) const;
  void Turn(size_t side, skel::Quat by, Solved& arm, skel::Capsules::Lines& lines) const;
  skel::Vec3 Front(const skel::Capsules::Lines& lines) const;
  skel::Vec3 Outward(size_t side, skel::Vec3 axis, skel::Vec3 lever, skel::Vec3 front) const;
  void Push(size_t side, const skel::Overlap& overlap, float by_m, skel::Vec3 front, Solved& arm,
            skel::Capsules::Lines& lines) const;
  void Solve(bool hands, std::array<Solved, 2>& arms, skel::Capsules::Lines& lines) const;

  const BodyParts::Limb& limb(size_t side) const { return body_->parts->arms[side]; }

  std::shared_ptr<const SelfCollisionBody> body_;
  std::array<Arm, 2> arms_;
  // Rotations of the watched joints when the capsules were last placed.
  std::array<skel::Quat, SelfCollisionBody::kMostWatched> then_;
  // The distances at that time between the two hands, and between each arm and trunk, hips or head;
  // and the ticks since then.
  struct Gaps {
    float hands = 0;
    std::array<float, 2> body{}, head{};
  };
  Gaps free_m_;
  int unseen_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_SELF_COLLISION_NODE_H_
