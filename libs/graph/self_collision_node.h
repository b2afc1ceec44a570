// Keeps hands out of the chest, arms out of the hips, and hands out of each other.
//
// Postures, gestures and eases are made and mixed without knowing of each other: each is well in
// itself, and their sum can have a wrist in the pelvis. So the shown pose is corrected, and no
// clip. Whatever is too deep in skel::Capsules turns its whole arm about the shoulder, as far as it
// takes and no further, so that elbow and hand keep their shape.
//
// Each tick is solved from the correction of the one before, which fades in a few tenths of a
// second where nothing holds it. So it stays on the side on which it began, though the pose below
// may pass through the middle of the body, and it neither jumps when a hand comes nor when it goes.
// That is the front, the back or the arm's own side of the body: a way out that leads to the other
// side, from where the arm could not come back, is taken to the front. Not so between two hands,
// which may pass each other: folded again, each lies where it lay. A correction changes no faster
// than an arm swings, and fades more slowly than that, so that what it meets on its way can push
// it.
//
// As long as nothing is near, and neither the joints of the arms nor spine and neck turn far enough
// to change that, only every sixteenth tick looks.
//
// The contacts are solved one after the other, a few times over: Gauss and Seidel's iteration, as
// in position based dynamics (Mueller et al., Journal of Visual Communication 18(2), 2007).
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

// What all avatars on a rig share. Immutable; any thread.
struct SelfCollisionBody {
  enum Part : uint8_t { kLeftArm, kRightArm, kSpine, kNeck, kParts };
  // A joint that says how far a limb, or a part of the spine or neck, has turned.
  struct Watched {
    int joint = -1;
    float lever_m = 0;  // how far a hand goes when it turns by one radian
    Part part = kParts;
  };
  static constexpr size_t kMostWatched = 14;

  // Arms that the rig lacks are not watched.
  explicit SelfCollisionBody(std::shared_ptr<const BodyParts> body_parts);

  std::shared_ptr<const BodyParts> parts;
  skel::Capsules capsules;
  std::vector<Watched> watched;  // at most kMostWatched
  std::array<size_t, 2> hips{};  // of capsules.all(), left and right; twice 0: there are none

 private:
  void WatchArm(Part part);
  void WatchRun(Part part, const std::vector<int>& run, float from, float to, float lever_m);
};

// What is less than 4 mm deep is left: who touches is no error. An arm that a live source pushes is
// left to it. Nothing is written where nothing is too deep.
class SelfCollisionNode : public PassNode {
 public:
  // Arms that the rig lacks are not corrected.
  SelfCollisionNode(std::shared_ptr<const SelfCollisionBody> body, std::unique_ptr<Node> below)
      : PassNode(std::move(below)), body_(std::move(body)) {}

  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

 private:
  struct Arm {
    // Of the last tick, in the space of the joint above the shoulder: out of the body, and what was
    // shown, out of the other hand too.
    skel::Quat out_of_body, turn;
    bool turned = false;  // one of them is not the identity
  };
  // An arm while it is solved, in model space.
  struct Solved {
    bool free = false;  // it may be turned
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
  // How what is watched was turned when capsules were last placed.
  std::array<skel::Quat, SelfCollisionBody::kMostWatched> then_;
  // What was free then between two hands, and between each arm and trunk, hips or head; the ticks
  // since.
  struct Gaps {
    float hands = 0;
    std::array<float, 2> body{}, head{};
  };
  Gaps free_m_;
  int unseen_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_SELF_COLLISION_NODE_H_
