// Turns eyes, head, neck and spine towards a target.
#ifndef POSEWIRE_LIBS_GRAPH_LOOK_AT_NODE_H_
#define POSEWIRE_LIBS_GRAPH_LOOK_AT_NODE_H_

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "libs/clip/clip.h"
#include "libs/graph/body_parts.h"
#include "libs/graph/eye_angles.h"
#include "libs/graph/eye_contact.h"
#include "libs/graph/gaze_turns.h"
#include "libs/graph/node.h"
#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/target.h"
#include "libs/skel/model_place.h"
#include "libs/skel/pose.h"

namespace posewire::graph {

struct LookAtSettings {
  // Joints that rotate together, from bottom to top, each by the same share.
  struct Group {
    std::vector<int> joints;
    double share = 1;  // of the angle that the eyes do not cover
    double limit_deg = 30, speed_deg_s = 90;
  };
  struct LookPose {
    const clip::Clip* clip = nullptr;
    double left_deg = 0, up_deg = 0;
  };
  std::vector<Target> targets;
  // A choice, and for each of its values the first target with that name (-1: none). Without a
  // choice, all targets are used. Several targets are looked at in turn.
  int variable = -1;
  std::vector<int> target_of_choice;
  Number weight = 1;
  bool eye_joints = false;  // false: uses the look shapes
  double eye_limit_deg = 30, eye_speed_deg_s = 450;
  std::vector<Group> groups;  // from bottom to top
  EyeContactSettings contact;
  int lead_to = -1;  // the target to which a user's eyes are led
  std::vector<LookPose> poses;
  // The point that the animation below looks at. kNone, or a place that is unknown at a tick: its
  // mean direction.
  Target authored_at;
  bool authored_at_cameras = false;  // first, the camera of the clip that plays below
};

// Returns the groups that rotate by default: spine, neck and head of the rig.
std::vector<LookAtSettings::Group> UsualLookGroups(const BodyParts& parts);

// The eyes move first, immediately and fast. The angle beyond half of their range is shared by the
// groups, which follow smoothly, each within its limit and speed; the eyes then return to a
// comfortable angle. Angles that one group cannot reach are left to the others.
//
// The rotations are added to the animated pose: a nod remains a nod, and the eyes stay on the
// target during it. About one degree of the eyes' own animation is kept. Rig limits are respected.
// With `authored_at`, the animated gaze keeps its angle to that point as its angle to the target.
//
// A lost target is released over 0.4 s from its last place. The avatar does not strain to follow
// targets behind its back. With weight 0, or no target, only `below` is evaluated.
class LookAtNode : public PassNode {
 public:
  // The rig must have a head, and eyes if the settings use them.
  LookAtNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
             LookAtSettings settings);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

 private:
  struct Spring {
    LookAngles at, speed, goal;
    skel::Quat turn;  // the visible rotation for `at`
  };
  // All state that changes from tick to tick.
  struct State {
    bool active = false;
    bool quiet = false;  // and stays so until a target appears
    EyeContact contact;
    std::vector<TargetFollower> followers;
    GazeTurns turns;
    std::vector<GazeCandidate> candidates;  // one per target
    // The animated positions of targets that are sites, and their displacement by the rotations.
    std::vector<skel::Vec3> sites, carried;
    std::vector<Spring> springs;      // one per group
    std::vector<float> pose_weights;  // one per look pose
    EasedWeight total{0.35f}, ahead{0.5f};
    // The animated head and eyes, smoothed; the head also without look poses.
    LookAngles reference, bare_reference, eye_reference;
    LookAngles wanted;               // direction of the targets, in the body's axes
    float nearness = 0.5f;           // 1 / metres
    LookAngles pose_way;             // the direction that the look poses follow
    std::array<LookAngles, 2> eyes;  // relative to the head
    skel::Vec3 eye_at;               // between the eyes, as last shown
    bool looked_at = false;
  };
  // The animated head.
  struct Head {
    skel::Vec3 eye_at;
    LookAngles animated;
    std::array<LookAngles, 2> eyes;  // animated
    // The direction of `authored_at`.
    std::optional<LookAngles> authored = {};
  };

  float GoalWeight(const TickContext& ctx, size_t target) const;
  bool UserLooks(const TickContext& ctx, skel::Vec3 at, bool before) const;
  bool AtRest() const;
  void Sleep();
  skel::Placement WalkToHead(const skel::PoseView& pose);
  Head ReadHead(const skel::PoseView& pose);
  void Begin(const Head& head);
  bool IsLookedAt(size_t target) const { return static_cast<int>(target) == state_.turns.turn(); }
  void StepTargets(const TickContext& ctx, const skel::PoseView& pose);
  void FindWanted(const TickContext& ctx, const Head& head);
  void StepContact(const TickContext& ctx);
  void AddLookPoses(float dt_s, const skel::PoseSpan& out);
  void ShareOut(LookAngles demand);
  void StepSprings(float dt_s);
  void TurnGroups(float dt_s, const Head& head, const skel::PoseSpan& out);
  // Records how the rotations have moved the sites. Returns how that moves the gaze target.
  skel::Vec3 CarrySites(const TickContext& ctx, const skel::PoseView& out);
  void TurnEyes(float dt_s, const Head& head, float weight, skel::Vec3 moved,
                const skel::PoseSpan& out);

  std::shared_ptr<const BodyParts> parts_;
  LookAtSettings settings_;
  Eyes eyes_;
  std::vector<skel::Pose> look_deltas_;
  std::vector<int> group_;                // for each target: the first one with its name
  std::array<skel::Vec3, 2> eye_offset_;  // in the head's space
  std::vector<int> path_;                 // from the root to the head
  std::vector<skel::Quat> above_;         // for each joint on it: the animated rotation of
                                          // everything above
  double shares_ = 0;
  bool people_only_ = false;  // all targets are on people
  State state_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOOK_AT_NODE_H_
