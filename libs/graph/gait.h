// How a body that is carried over the ground walks.
//
// Whoever walks faster takes longer steps and more of them, and the quotient of the two hardly
// changes with speed: the walk ratio (Sekiya and Nagasaki, "Reproducibility of the walking patterns
// of normal young adults", 1998). So the speed alone says how long a step is and how often one
// comes. A foot lands where the body will be over it in the middle of its stand, which is ahead of
// a body that moves and under one that is about to stop: start and stop need no steps of their own.
//
// A foot that stands rolls over three rockers: the heel, from which it comes down flat; the ankle;
// and the ball, over which the heel rises while the body goes on (Perry, "Gait Analysis", 1992).
// Here a foot is therefore its sole, which stays where it landed, and a pitch about heel or ball;
// in the air the sole goes along the curve of least jerk (Flash and Hogan, 1985).
//
// The hips are lowest while both feet stand, sway over the one that stands, and turn the side that
// swings forward; chest and arms go against them (Winter, "The Biomechanics and Motor Control of
// Human Gait", 1991).
#ifndef POSEWIRE_LIBS_GRAPH_GAIT_H_
#define POSEWIRE_LIBS_GRAPH_GAIT_H_

#include <array>

#include "libs/graph/foot_step.h"
#include "libs/graph/stepper.h"
#include "libs/skel/math.h"

namespace posewire::graph {

// What walking does to the rest of the body, on top of its pose. Radians and metres; the heading is
// the body's.
struct GaitBody {
  float heading = 0;
  float left_m = 0, up_m = 0, ahead_m = 0;  // of the hips
  float turn = 0, list = 0;                 // of the hips: to the left, and the left side up
  float lean = 0;                           // of the trunk, forwards
  std::array<float, 2> arm{};               // forwards
  std::array<float, 2> elbow{};             // bent further
  std::array<float, 2> toe_flex{};          // of toes on the ground under a heel that is up
};

// In arrays, left comes first. A value; any thread, one at a time. Nothing allocates. The same
// motion at another tick rate gives the same steps within what the ticks leave unknown of it.
class Gait {
 public:
  // `leg_m`: from hip to ankle.
  explicit Gait(std::array<FootShape, 2> shape = {}, float leg_m = 0.85f)
      : shape_(shape), leg_m_(leg_m) {}

  // Once a tick: how the body is carried, as both feet are where nobody walks.
  void Observe(float dt_s, const std::array<WantedFoot, 2>& wanted);
  // The body is carried fast enough to walk.
  bool wanted() const;
  // Both feet stand, or `stepping` is in the air and goes at `speed_m_s`.
  void Begin(const std::array<WantedFoot, 2>& wanted, const std::array<FootPlace, 2>& shown,
             int stepping, skel::Vec3 speed_m_s);
  // Moves the feet; ends by itself once they stand where they are wanted. `stand_m` is how long the
  // longer leg is as the animation has it: one that stands stiffly walks on softer knees.
  void Advance(float dt_s, const std::array<WantedFoot, 2>& wanted, float stand_m,
               std::array<FootPlace, 2>& shown);
  // After Advance, while it walks: raises the heel of a foot that the body leaves behind as far as
  // its leg needs, as fast as heels go. `hip` is where the leg begins.
  void RaiseHeel(float dt_s, size_t side, skel::Vec3 hip, FootPlace& shown);
  // Gives up at once; the body comes to rest softly.
  void Drop() { walks_ = false, swing_ = -1; }

  bool walks() const { return walks_; }
  int swinging() const { return swing_; }  // which foot is in the air; -1: none
  // Nothing is left of walking.
  bool idle() const { return !walks_ && step_m_ == 0 && step_speed_ == 0; }
  const GaitBody& body() const { return body_; }

 private:
  struct Foot {
    FootPlace sole;  // the foot as if it were flat, over the ground only while it swings
    FootPlace from, goal;
    skel::Vec3 from_speed_m_s;
    float pitch = 0, pitch_speed = 0;  // heel up
    float raised = 0;                  // more, for the leg's sake
  };

  float scale() const;                  // of the body, by its legs
  float Amount() const;                 // of the pitch and swing of a full step
  float Forwards(float heading) const;  // which part of the speed, 0..1
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
  // How the body is carried.
  skel::Vec3 speed_m_s_, push_m_s2_;
  float turning_rad_s_ = 0, apart_m_s_ = 0;
  // The steps.
  bool walks_ = false;
  bool sets_off_ = false, goes_on_ = false;  // before the first step; another one comes
  bool late_ = false;                        // the foot behind should have left
  std::array<Foot, 2> feet_;
  int swing_ = -1, landed_ = 0;         // in the air; the one that landed last
  float first_ = 1;                     // of the usual time, that the first swing takes
  float swung_ = 0, since_s_ = 0;       // how far through the swing, 0..1; both stand for so long
  float pace_m_s_ = 0;                  // the speed that the rate of steps follows
  float both_s_ = 0.1f, air_s_ = 0.4f;  // how long both stand, and one swings
  float step_m_ = 0, step_speed_ = 0;   // length of a step, softly
  float phase_ = 0;                     // 0: the left foot lands; half a turn: the right one does
  GaitBody body_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_GAIT_H_
