// The head and hands of a user, as a pose of the rig.
#ifndef POSEWIRE_LIBS_GRAPH_USER_POSE_NODE_H_
#define POSEWIRE_LIBS_GRAPH_USER_POSE_NODE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "libs/graph/body_parts.h"
#include "libs/graph/node.h"
#include "libs/graph/number.h"

namespace posewire::graph {

struct UserPoseSettings {
  std::string user;  // empty: the first
  bool image_wise = false, hands = false;
  Number strength = 1;
  int tilt_variable = -1;  // a number
};

// Outputs head and neck, and with `hands` both arms: the rest pose plus the user's motion, so that
// an additive node adds only the motion.
//
// A user's neutral is the mean rotation of the head, and the mean positions of the hands below the
// head, over the last seconds (3 s to learn it, then half a minute). Differences from it are
// copied, as far as the rig allows. Hands are copied by position; the arms follow, no joint faster
// than 12 radians per second. A user who appears, disappears or is replaced is eased in and out.
//
// The tilt is that of the copied head before `strength`: degrees, positive to the avatar's left.
class UserPoseNode : public Node {
 public:
  UserPoseNode(std::shared_ptr<const BodyParts> parts, UserPoseSettings settings);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

 private:
  // A vector that follows another smoothly (critically damped).
  struct Soft {
    skel::Vec3 at, speed;
    void Step(skel::Vec3 goal, float dt_s);
  };
  struct Learned {
    float seconds = 0;
    skel::Quat turn;
    skel::Vec3 at;
  };
  struct State {
    bool known = false;
    uint64_t who = 0;  // hash of the name
    float away_s = 0;  // time since the user was last seen
    Learned head;
    std::array<Learned, 2> hands;                   // by the user's sides
    Soft shown_head;                                // a rotation vector
    std::array<Soft, 2> shown_hands;                // by the avatar's sides; metres
    std::array<std::array<skel::Quat, 2>, 2> arms;  // rotations from rest: start and middle
  };
  void Learn(const UserInput& user, float dt_s);
  void TurnHead(const skel::PoseSpan& out) const;
  void MoveArm(size_t side, float dt_s, const skel::PoseSpan& out);

  std::shared_ptr<const BodyParts> parts_;
  UserPoseSettings settings_;
  State state_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_USER_POSE_NODE_H_
