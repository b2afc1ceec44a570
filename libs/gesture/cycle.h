// A looping motion: held values with oscillations and temporary changes on top, rendered to a clip
// without a seam.
//
// Every part repeats with the clip: swings have whole periods in it, and visits that pass its end
// continue at its start. Angles are degrees; arms are in radians, like ArmAngles. Only held or
// moved elements are present in the clip.
#ifndef POSEWIRE_LIBS_GESTURE_CYCLE_H_
#define POSEWIRE_LIBS_GESTURE_CYCLE_H_

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/clip/clip.h"
#include "libs/gesture/body.h"
#include "libs/gesture/hand_shapes.h"
#include "libs/gesture/script.h"
#include "libs/skel/rig.h"

namespace posewire::gesture {

// The strength of a temporary change: 0 at t0, full at t1, held until t2, and 0 again at t3. t0 <=
// t1 <= t2 <= t3, and t3 is at most one period after t0.
struct Visit {
  double t0_s, t1_s, t2_s, t3_s;
};

// One number that repeats.
class CyclicChannel {
 public:
  explicit CyclicChannel(float base = 0) : base_(base) {}

  void Hold(float base) { base_ = base, used_ = true; }
  // Adds amount * sin(2 pi (times * t / period + phase)); phase in turns.
  void Swing(float amount, int times, double phase);
  // Adds `amount` during the visit.
  void Go(float amount, const Visit& visit);

  bool used() const { return used_; }
  float base() const { return base_; }
  float At(double t_s, double period_s) const;

 private:
  struct Sine {
    float amount;
    int times;
    double phase;
  };
  float base_;
  bool used_ = false;
  std::vector<Sine> sines_;
  std::vector<std::pair<float, Visit>> visits_;
};

// The reference of a cycle's angles.
enum class CycleBase {
  kStance,      // the neutral stance: a complete motion
  kDifference,  // rest: a difference to be added to any pose
};

class Cycle {
 public:
  Cycle(const Body& body, std::shared_ptr<const skel::Rig> rig, CycleBase base);

  void HoldArm(Side side, const ArmAngles& angles);
  void HoldArm(Side side, const Reach& reach, HandShape hand);
  ArmAngles HeldArm(Side side) const;
  void SwingArm(Side side, ArmControl control, float degrees, int times, double phase);
  // Moves from the held pose of the arm to `angles`.
  void GoArm(Side side, const ArmAngles& angles, const Visit& visit);
  void GoArm(Side side, const Reach& reach, HandShape hand, const Visit& visit);

  // Units as in Script::Turn: degrees; kPelvisShift: metres.
  void Hold(Run run, skel::Vec3 amount);
  void Swing(Run run, skel::Vec3 amount, int times, double phase);
  void Go(Run run, skel::Vec3 amount, const Visit& visit);
  // Head and neck share a turn.
  void SwingLook(skel::Vec3 degrees, int times, double phase);

  // Shapes that the rig lacks are ignored. Final weights are in 0..1.
  void HoldShape(absl::string_view name, float weight);
  void SwingShape(absl::string_view name, float weight, int times, double phase);
  void GoShape(absl::string_view name, float weight, const Visit& visit);

  // Returns a posture if the base is the stance, and a layer if it is a difference.
  std::shared_ptr<const clip::Clip> Render(std::string name, double period_s) const;

 private:
  using RunChannels = std::array<CyclicChannel, 3>;

  CyclicChannel& arm(Side side, int control) {
    return arms_[static_cast<size_t>(side)][static_cast<size_t>(control)];
  }
  RunChannels& run(Run r) { return runs_[static_cast<size_t>(r)]; }
  CyclicChannel* shape(absl::string_view name);
  // In radians and metres. Returns false if the run is not used.
  bool RunAt(Run r, double t_s, double period_s, skel::Vec3& out) const;
  void PoseArms(double t_s, double period_s, const skel::PoseSpan& out) const;
  void PoseTorso(double t_s, double period_s, const skel::PoseSpan& out) const;

  const Body& body_;
  std::shared_ptr<const skel::Rig> rig_;
  CycleBase base_;
  std::array<std::array<CyclicChannel, kArmControls>, 2> arms_;
  std::array<RunChannels, kRuns> runs_;
  std::vector<std::pair<int, CyclicChannel>> shapes_;
};

// Adds breathing, `times` per period: chest and shoulders rise and fall, and the neck keeps the
// head level. Depth 1 is that of a standing person.
void Breathe(Cycle& c, int times, float depth);

// Adds small slow movements of hips, trunk, head and fingers.
void Live(Cycle& c, float amount);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_CYCLE_H_
