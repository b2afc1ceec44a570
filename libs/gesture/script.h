// A gesture as a script: moves of arms, torso, head, pelvis and face over time, rendered to a clip.
//
// Parts of a chain lag behind the part that carries them: torso and clavicle lead, then shoulder,
// elbow, wrist and fingers follow by a 30th of a second each. If both arms move, the left one
// follows the right. No joint passes the limits of the rig. Only moved elements are present in the
// clip.
#ifndef POSEWIRE_LIBS_GESTURE_SCRIPT_H_
#define POSEWIRE_LIBS_GESTURE_SCRIPT_H_

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/clip/clip.h"
#include "libs/gesture/body.h"
#include "libs/gesture/channel.h"
#include "libs/gesture/hand_shapes.h"
#include "libs/skel/rig.h"

namespace posewire::gesture {

// Frames per second of rendered clips.
inline constexpr int kClipRate_hz = 30;

// Runs of joints that rotate together, each by a rotation vector; the pelvis can also be shifted.
enum class Run { kLumbar, kThorax, kNeck, kHead, kPelvis, kPelvisShift };
inline constexpr int kRuns = 6;

class Script {
 public:
  Script(const Body& body, std::shared_ptr<const skel::Rig> rig);

  // Moves an arm from its pose at t0 to another pose at t1.
  void Arm(Side side, double t0_s, double t1_s, const ArmAngles& angles, float vigour = 1);
  void Arm(Side side, double t0_s, double t1_s, const Reach& reach, HandShape hand,
           float vigour = 1);
  // Moves only the fingers.
  void Hand(Side side, double t0_s, double t1_s, HandShape hand);
  void ArmHome(Side side, double t0_s, double t1_s);
  // Returns the arm's pose at its last key.
  ArmAngles ArmNow(Side side) const;
  // Moves a single angle, without overshoot, for oscillations on top of a held pose.
  void ArmAngle(Side side, ArmControl control, double t_s, float value);

  // Amount in degrees about X (forward), Y (to the avatar's left), Z (leaning to its right); for
  // kPelvisShift in metres.
  void Turn(Run run, double t0_s, double t1_s, skel::Vec3 amount, float overshoot = 0.06f);
  // Shapes that the rig lacks are left out.
  void Shape(absl::string_view name, double t0_s, double t1_s, float weight);

  std::shared_ptr<const clip::Clip> Render(std::string name, double length_s,
                                           clip::ClipKind kind = clip::ClipKind::kGesture) const;

 private:
  Channel& arm(Side side, int control) {
    return arms_[static_cast<size_t>(side)][static_cast<size_t>(control)];
  }

  void RenderArm(Side side, std::vector<skel::Pose>& poses) const;
  void RenderTorso(std::vector<skel::Pose>& poses) const;
  // Returns an empty vector if the run does not move.
  std::vector<skel::Vec3> RenderRun(Run run, size_t frames) const;

  const Body& body_;
  std::shared_ptr<const skel::Rig> rig_;
  std::array<std::array<Channel, kArmControls>, 2> arms_;
  std::array<std::array<Channel, 3>, kRuns> runs_;
  std::vector<std::pair<int, Channel>> shapes_;
};

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_SCRIPT_H_
