// The walking motion of a body that is moved over the ground.
//
// Faster walking means longer steps and more of them, and the quotient of the two hardly changes
// with speed: the walk ratio (Sekiya and Nagasaki, "Reproducibility of the walking patterns of
// normal young adults", 1998). Therefore speed alone determines length and rate of the steps. A
// foot lands where the body will be over it in the middle of its stance phase, which is in front of
// a moving body and under one that is about to stop: starting and stopping need no special steps.
//
// A standing foot rolls over three rockers: the heel, from which it comes down flat; the ankle; and
// the ball, over which the heel rises while the body moves on (Perry, "Gait Analysis", 1992). Here
// a foot is therefore its sole, which stays where it landed, and a pitch about heel or ball; in the
// air the sole follows the minimum-jerk curve (Flash and Hogan, 1985).
//
// The hips are lowest while both feet are on the ground, sway over the standing foot, and turn the
// swinging side forward; chest and arms move against them (Winter, "The Biomechanics and Motor
// Control of Human Gait", 1991).
#ifndef POSEWIRE_LIBS_GRAPH_GAIT_H_
#define POSEWIRE_LIBS_GRAPH_GAIT_H_

#include <array>

#include "libs/graph/foot_step.h"
#include "libs/graph/stepper.h"
#include "libs/skel/math.h"

namespace posewire::graph {

// The effect of walking on the rest of the body, in addition to its pose. Radians and metres, in
// the body's heading.
struct GaitBody {
  float heading = 0;
  float left_m = 0, up_m = 0, ahead_m = 0;  // of the hips
  float turn = 0, list = 0;                 // of the hips: to the left, and the left side up
  float lean = 0;                           // of the trunk, forwards
  std::array<float, 2> arm{};               // forwards
  std::array<float, 2> elbow{};             // bent further
  std::array<float, 2> toe_flex{};          // of toes on the ground under a raised heel
};

// In arrays, left comes first. A value type; any thread, one at a time. Does not allocate. The same
// motion at another tick rate gives the same steps, up to what the ticks do not sample.
class Gait {
 public:
  // `leg_m`: from hip to ankle.
  explicit Gait(std::array<FootShape, 2> shape = {}, float leg_m = 0.85f)
      : shape_(shape), leg_m_(leg_m) {}

  // Call once per tick with the feet's targets, from which the motion of the body is estimated.
  void Observe(float dt_s, const std::array<WantedFoot, 2>& wanted);
  // Returns whether the body moves fast enough to walk.
  bool wanted() const;
  // Starts walking. Both feet are on the ground, or `stepping` is in the air and moves at
  // `speed_m_s`.
  void Begin(const std::array<WantedFoot, 2>& wanted, const std::array<FootPlace, 2>& shown,
             int stepping, skel::Vec3 speed_m_s);
  // Moves the feet; ends automatically once they are at their targets. `stand_m` is the length of
  // the longer leg in the animation: a body with straight legs walks with more bent knees.
  void Advance(float dt_s, const std::array<WantedFoot, 2>& wanted, float stand_m,
               std::array<FootPlace, 2>& shown);
  // Call after Advance, while walking: raises the heel of a foot that the body leaves behind as far
  // as its leg needs, at the speed of real heels. `hip` is where the leg begins.
  void RaiseHeel(float dt_s, size_t side, skel::Vec3 hip, FootPlace& shown);
  // Stops immediately; the body comes to rest smoothly.
  void Drop() { walks_ = false, swing_ = -1; }

  bool walks() const { return walks_; }
  int swinging() const { return swing_; }  // the foot in the air; -1: none
  // Returns whether no motion of walking remains.
  bool idle() const { return !walks_ && step_m_ == 0 && step_speed_ == 0; }
  const GaitBody& body() const { return body_; }

 private:
  struct Foot {
    FootPlace sole;  // the foot as if it were flat; above the ground only while it swings
    FootPlace from, goal;
    skel::Vec3 from_speed_m_s;
    float pitch = 0, pitch_speed = 0;  // heel up
    float raised = 0;                  // additional pitch that the leg needs
  };

  float scale() const;                  // size of the body, by its legs
  float Amount() const;                 // pitch and swing relative to a full step
  float Forwards(float heading) const;  // fraction of the speed in this direction, 0..1
  void Pace(float dt_s);
  skel::Vec3 Way(float ahead_s) const;
  FootPlace Goal(const std::array<WantedFoot, 2>& now, size_t side, float lands_in_s) const;
  bool MustStep(const std::array<WantedFoot, 2>& now, size_t side) const;
  void StepFeet(float dt_s, const std::array<WantedFoot, 2>& now);
  void Swing(float dt_s, const std::array<WantedFoot, 2>& now);
  void Lift(const std::array<WantedFoot, 2>& now, int side);
  float PhaseOf(size_t side) const;
  void Roll(float dt_s);
  float ToesStay(size_t side) const;
  FootPlace Rolled(size_t side, float pitch) const;
  void MoveBody(float dt_s, float stand_m);

  std::array<FootShape, 2> shape_;
  float leg_m_;
  // Motion of the body.
  skel::Vec3 speed_m_s_, push_m_s2_;
  float turning_rad_s_ = 0, apart_m_s_ = 0;
  // Steps.
  bool walks_ = false;
  bool sets_off_ = false, goes_on_ = false;  // before the first step; another step follows
  bool late_ = false;                        // the rear foot should have left the ground
  std::array<Foot, 2> feet_;
  int swing_ = -1, landed_ = 0;         // in the air; the one that landed last
  float first_ = 1;                     // duration of the first swing, as a fraction of the usual
                                        // one
  float swung_ = 0, since_s_ = 0;       // progress of the swing, 0..1; time with both feet on the
                                        // ground
  float pace_m_s_ = 0;                  // the speed that determines the rate of steps
  float both_s_ = 0.1f, air_s_ = 0.4f;  // duration of double support, and of a swing
  float step_m_ = 0, step_speed_ = 0;   // length of a step, smoothed
  float phase_ = 0;                     // 0: the left foot lands; half a cycle: the right one does
  GaitBody body_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_GAIT_H_
