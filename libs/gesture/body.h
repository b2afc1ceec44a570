// The joints that procedural motion moves, and the conversion of a few anatomical angles to joint
// rotations.
//
// All functions are for H-Anim rigs in the standard's rest stance: arms straight down, palms to the
// thighs, rest rotations identity, axes parallel to the humanoid's (+X its left, +Y up, +Z front).
// Angles are radians. An arm's angles are those of the left arm; the right arm is the mirror image,
// so that one hand shape or reach serves both sides.
//
// A Body is immutable; the functions are pure and do not allocate.
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

// The angles of one arm, in the order of the chain, so that a part of the chain is a range.
enum ArmControl : int {
  kClavicleUp,     // raises the shoulder
  kClavicleFront,  // brings the shoulder forward
  kShoulderX,      // rotation vector of the upper arm (X, Y, Z)
  kShoulderY,
  kShoulderZ,
  kElbowFlex,     // from rest, where the arm is nearly straight
  kForearmTwist,  // positive turns the palm down when the elbow is bent
  kWristFlex,     // towards the palm
  kWristDeviate,  // towards the thumb
  kThumbAdduct,   // from pointing sideways at a right angle, towards the fingers
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
  // Rest geometry, mirrored to the left side: positions in humanoid space, and directions of the
  // chain.
  skel::Vec3 clavicle_at, acromion_at, shoulder_at;
  skel::Vec3 upper, fore;              // unit length
  skel::Vec3 hinge;                    // axis about which positive angles bend the elbow
  skel::Vec3 flex_axis, deviate_axis;  // of the wrist, perpendicular to the forearm
  float upper_m = 0, fore_m = 0;
  float rest_flex = 0;  // angle of the elbow at rest
};

struct LegJoints {
  int hip = -1, knee = -1, ankle = -1, toes = -1;
  skel::Vec3 hip_at, ankle_at, ball_at;  // in humanoid space; the ball is where the toes begin
  skel::Vec3 thigh, calf;                // of unit length
  skel::Vec3 hinge;
  float thigh_m = 0, calf_m = 0;
  float longest_m = 0;  // from hip to ankle, with the knee as straight as at rest
  float rest_flex = 0;
};

struct Body {
  // INVALID_ARGUMENT names the joint that the rig lacks, or the problem with its rest pose.
  static absl::StatusOr<Body> Make(const skel::Rig& rig);

  int root = -1;
  skel::Vec3 root_at;  // rest position of the root, which is also its rest translation
  int sacroiliac = -1;
  std::vector<int> lumbar, thorax, neck;
  int head = -1;
  std::array<ArmJoints, 2> arms;
  std::array<LegJoints, 2> legs;

  const ArmJoints& arm(Side side) const { return arms[static_cast<size_t>(side)]; }
};

// Clamps every angle to the range of a human arm.
void ClampToHuman(ArmAngles& angles);

// Writes the clavicle, shoulder, elbow, wrist and finger rotations of one arm.
void PoseArm(const Body& body, Side side, const ArmAngles& angles, const skel::PoseSpan& out);

// Returns the angle between the upper arm and straight down next to an upright trunk, in radians,
// 0..pi.
float Elevation(const Body& body, Side side, const ArmAngles& angles);

// Distributes one rotation over a run of joints; every joint gets the same part.
void PoseRun(absl::Span<const int> joints, skel::Vec3 turn, const skel::PoseSpan& out);

// Moves the pelvis by `shift` (metres) and rotates it by `turn`, and bends hips, knees, ankles and
// toes so that both feet stay where they are at rest. Feet stay flat, except a foot that the pelvis
// moves away from: its heel rises over the toes, which stay in place, and its knee bends. If the
// feet are out of reach, the pelvis is lowered until both reach.
void PosePelvisOverFeet(const Body& body, skel::Vec3 shift, skel::Vec3 turn,
                        const skel::PoseSpan& out);

// How a foot differs from its rest place: moved by `by` metres, turned about its ball by `toe_out`
// radians, and with its heel raised by another `heel` radians.
struct FootMove {
  skel::Vec3 by;
  float toe_out = 0, heel = 0;
};
// The same with feet that have stepped: left, right. The weight is relative to the middle between
// them.
void PosePelvisOverFeet(const Body& body, skel::Vec3 shift, skel::Vec3 turn,
                        const std::array<FootMove, 2>& feet, const skel::PoseSpan& out);

// Target for a wrist, in humanoid space with the torso at rest. x is positive outward from the
// middle of the body, so that one spec serves both arms.
struct Reach {
  skel::Vec3 wrist;    // metres
  skel::Vec3 fingers;  // direction of the fingers; any length
  skel::Vec3 palm;     // direction that the palm faces; any length
  skel::Vec3 elbow{0.4f, -1,
                   -0.3f};  // side of the line from shoulder to wrist on which the elbow is
  float clavicle_up = 0, clavicle_front = 0;
};

// Two-bone inverse kinematics: writes the angles from clavicle to wrist, within human limits, and
// leaves the fingers unchanged. If the target is out of reach, a nearly straight arm points at it.
void SolveReach(const Body& body, Side side, const Reach& reach, ArmAngles& angles);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_BODY_H_
