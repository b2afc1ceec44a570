// The joints that procedural motion moves, and how a few anatomical angles become their rotations.
//
// All of it is for H-Anim rigs in the rest stance of the standard: arms straight down, palms to the
// thighs, rest rotations identity, axes parallel to the humanoid's (+X its left, +Y up, +Z front).
// Angles are radians. An arm's angles are those of the left arm; the right arm is written as the
// mirror image, so that one hand shape or reach serves both sides.
//
// Thread rule: a Body never changes once made; the functions are pure and do not allocate.
#ifndef POSEWIRE_LIBS_GESTURE_BODY_H_
#define POSEWIRE_LIBS_GESTURE_BODY_H_

#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::gesture {

enum class Side { kLeft = 0, kRight = 1 };

// The angles of one arm. The order is that of the chain, so that a part of it is a range.
enum ArmControl : int {
  kClavicleUp,     // raises the shoulder
  kClavicleFront,  // brings the shoulder forward
  kShoulderX,      // rotation vector of the upper arm
  kShoulderY,
  kShoulderZ,
  kElbowFlex,     // from rest, in which the arm is nearly straight
  kForearmTwist,  // positive turns the palm down when the elbow is bent
  kWristFlex,     // towards the palm
  kWristDeviate,  // towards the thumb
  kThumbAdduct,   // from sticking out at a right angle towards the fingers
  kThumbOppose,   // across the palm
  kThumbFlex2,
  kThumbFlex3,
  kFingers,  // index, middle, ring, pinky; each spread (away from the middle finger), base, middle
             // joint
  kArmControls = kFingers + 12,
};
using ArmAngles = std::array<float, kArmControls>;

struct ArmJoints {
  int clavicle = -1, acromion = -1, shoulder = -1, elbow = -1, wrist = -1;
  std::array<int, 3> thumb{-1, -1, -1};
  std::array<std::array<int, 3>, 4> fingers{};
  // Rest geometry, mirrored to the left side: places in humanoid space, and the chain's directions.
  skel::Vec3 clavicle_at, acromion_at, shoulder_at;
  skel::Vec3 upper, fore;              // of unit length
  skel::Vec3 hinge;                    // the elbow bends about it by positive angles
  skel::Vec3 flex_axis, deviate_axis;  // of the wrist, at right angles to the forearm
  float upper_m = 0, fore_m = 0;
  float rest_flex = 0;  // how far the elbow is bent at rest
};

struct LegJoints {
  int hip = -1, knee = -1, ankle = -1, toes = -1;
  skel::Vec3 hip_at, ankle_at, ball_at;  // in humanoid space; the ball is where the toes begin
  skel::Vec3 thigh, calf;                // of unit length
  skel::Vec3 hinge;
  float thigh_m = 0, calf_m = 0;
  float longest_m = 0;  // from hip to ankle, knee as straight as at rest
  float rest_flex = 0;
};

struct Body {
  // INVALID_ARGUMENT that names the joint which the rig lacks, or what its rest pose has against
  // it.
  static absl::StatusOr<Body> Make(const skel::Rig& rig);

  int root = -1;
  skel::Vec3 root_at;  // rest place of the root, which is also its rest translation
  int sacroiliac = -1;
  std::vector<int> lumbar, thorax, neck;
  int head = -1;
  std::array<ArmJoints, 2> arms;
  std::array<LegJoints, 2> legs;

  const ArmJoints& arm(Side side) const { return arms[static_cast<size_t>(side)]; }
};

// Keeps every angle within what a human arm can do.
void ClampToHuman(ArmAngles& angles);

// Writes the clavicle, shoulder, elbow, wrist and finger rotations of one arm.
void PoseArm(const Body& body, Side side, const ArmAngles& angles, const skel::PoseSpan& out);

// How far the upper arm of these angles is up from hanging straight down beside an upright trunk,
// in radians, 0..pi.
float Elevation(const Body& body, Side side, const ArmAngles& angles);

// Shares one turn out evenly over a run of joints; every joint gets the same part.
void PoseRun(absl::Span<const int> joints, skel::Vec3 turn, const skel::PoseSpan& out);

// Moves the pelvis by `shift` (metres) and turns it by `turn`, and bends hips, knees, ankles and
// toes so that both feet stay where they are at rest. They stay flat, but for a foot that the
// pelvis moves away from: its heel comes up over the toes, which stay, and its knee gives way. Out
// of reach, the pelvis is lowered until both feet hold.
void PosePelvisOverFeet(const Body& body, skel::Vec3 shift, skel::Vec3 turn,
                        const skel::PoseSpan& out);

// Where a foot is instead of its place at rest: `by` metres, `toe_out` radians about its ball, and
// with its heel up by `heel` radians more.
struct FootMove {
  skel::Vec3 by;
  float toe_out = 0, heel = 0;
};
// As above, over feet that have stepped: left, right. The weight counts from midway between them.
void PosePelvisOverFeet(const Body& body, skel::Vec3 shift, skel::Vec3 turn,
                        const std::array<FootMove, 2>& feet, const skel::PoseSpan& out);

// Where a wrist is to be, in humanoid space with the torso at rest, x counted outward from the
// middle of the body (so that one spec serves both arms).
struct Reach {
  skel::Vec3 wrist;    // metres
  skel::Vec3 fingers;  // where the fingers point; any length
  skel::Vec3 palm;     // where the palm faces; any length
  skel::Vec3 elbow{0.4f, -1,
                   -0.3f};  // to which side of the line from shoulder to wrist the elbow goes
  float clavicle_up = 0, clavicle_front = 0;
};

// Two-bone inverse kinematics: writes the angles from clavicle to wrist, within human limits, and
// leaves the fingers. What is out of reach is pointed at with a nearly straight arm.
void SolveReach(const Body& body, Side side, const Reach& reach, ArmAngles& angles);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_BODY_H_
