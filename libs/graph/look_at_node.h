// Turns eyes, head, neck and spine towards a target.
#ifndef POSEWIRE_LIBS_GRAPH_LOOK_AT_NODE_H_
#define POSEWIRE_LIBS_GRAPH_LOOK_AT_NODE_H_

#include <array>
#include <memory>
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
  // Joints that turn together, from bottom to top, each with the same share.
  struct Group {
    std::vector<int> joints;
    double share = 1;  // of what the eyes leave
    double limit_deg = 30, speed_deg_s = 90;
  };
  struct LookPose {
    const clip::Clip* clip = nullptr;
    double left_deg = 0, up_deg = 0;
  };
  std::vector<Target> targets;
  // A choice, and for each of its values the first of the targets of that name (-1: none). Without
  // one, all targets count. Where several count they are looked at in turn.
  int variable = -1;
  std::vector<int> target_of_choice;
  Number weight = 1;
  bool eye_joints = false;  // else the look shapes
  double eye_limit_deg = 30, eye_speed_deg_s = 450;
  std::vector<Group> groups;  // from below to above
  EyeContactSettings contact;
  int lead_to = -1;  // the target to which a user's eyes are led
  std::vector<LookPose> poses;
};

// The groups that turn by default: spine, neck and head of the rig.
std::vector<LookAtSettings::Group> UsualLookGroups(const BodyParts& parts);

// The eyes go first, at once and fast. Whatever lies beyond half of their reach is shared by the
// groups, which follow softly, each within its limit and speed; then the eyes return to where they
// are at ease. What one group cannot reach, the others do.
//
// The turns are added to the animated pose: a nod stays a nod, and the eyes hold the target through
// it. Of the eyes' own animation, a degree or so stays. Rig limits are kept.
//
// A lost target is let go over 0.4 s from where it was; targets behind the back are not strained
// after. With weight 0, or nothing to look at, only `below` is evaluated.
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
    skel::Quat turn;  // what is shown of `at`
  };
  // Everything that changes from tick to tick.
  struct State {
    bool active = false;
    bool quiet = false;  // and stays so until somebody comes
    EyeContact contact;
    std::vector<TargetFollower> followers;
    GazeTurns turns;
    std::vector<GazeCandidate> candidates;  // one a target
    // The animated positions of targets that are sites, and how far the turns carry them from
    // there.
    std::vector<skel::Vec3> sites, carried;
    std::vector<Spring> springs;      // one a group
    std::vector<float> pose_weights;  // one a look pose
    EasedWeight total{0.35f}, ahead{0.5f};
    // The animated head and eyes, smoothed; the head also without look poses.
    LookAngles reference, bare_reference, eye_reference;
    LookAngles wanted;               // of the targets, in the body's axes
    float nearness = 0.5f;           // 1 / metres
    LookAngles pose_way;             // what the look poses answer to
    std::array<LookAngles, 2> eyes;  // in the head
    skel::Vec3 eye_at;               // between the eyes, as shown last
    bool looked_at = false;
  };
  // The head as animated, and what it should do.
  struct Head {
    skel::Vec3 eye_at;
    LookAngles animated;
    std::array<LookAngles, 2> eyes;  // animated
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
  // Records how the turns have moved the sites; returns how that moves the point looked at.
  skel::Vec3 CarrySites(const TickContext& ctx, const skel::PoseView& out);
  void TurnEyes(float dt_s, const Head& head, float weight, skel::Vec3 moved,
                const skel::PoseSpan& out);

  std::shared_ptr<const BodyParts> parts_;
  LookAtSettings settings_;
  Eyes eyes_;
  std::vector<skel::Pose> look_deltas_;
  std::vector<int> group_;                // of each target: the first of its name
  std::array<skel::Vec3, 2> eye_offset_;  // in the head's space
  std::vector<int> path_;                 // from the root to the head
  std::vector<skel::Quat> above_;         // of each joint on it: the turn of all above, as animated
  double shares_ = 0;
  bool people_only_ = false;  // all targets are somebody's
  State state_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOOK_AT_NODE_H_
