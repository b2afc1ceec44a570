// Eases over any discontinuity of a pose: only the new input is evaluated, and the difference at
// the switch is added to it while it decays to zero.
#ifndef POSEWIRE_LIBS_SKEL_INERTIALIZER_H_
#define POSEWIRE_LIBS_SKEL_INERTIALIZER_H_

#include <vector>

#include "libs/skel/pose.h"

namespace posewire::skel {

// After D. Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC
// 2018. Each difference is a direction times a scalar: a vector's length, or the angle about the
// axis of a rotation. The scalar falls from x0 with the velocity v0 that was shown, and reaches
// zero with zero slope and zero acceleration. The acceleration at the start is free; it is set so
// that the fastest step is small (16/9 of the mean, not 135/64): a turn by 180 degrees in 0.3 s
// takes at most 36 degrees a thirtieth of a second. A velocity away from the target counts as zero;
// one that would overshoot shortens the time to -4 x0 / v0.
//
// One avatar, one thread. Only the constructor allocates.
class Inertializer {
 public:
  Inertializer(int joints, int shapes);

  // Starts a transition at the moment of the last shown pose; a transition under way is replaced,
  // and goes on from what was shown. `shown_before_previous` was shown dt_s earlier and gives the
  // velocities (dt_s of 0: none). `new_target` is what the new input is now, before anything is
  // added. Elements that `shown_previous` or `new_target` lacks are left alone. Poses of another
  // size, or a duration that is not above 0, end any transition. Shapes may take another time than
  // joints, `shapes_duration_s` (0: the same).
  void Start(const PoseView& shown_before_previous, const PoseView& shown_previous, double dt_s,
             const PoseView& new_target, double duration_s, double shapes_duration_s = 0);

  // Advances by dt_s, and adds what remains of the differences to the elements that `pose` has.
  void Apply(double dt_s, const PoseSpan& pose);

  // Forgets the differences.
  void Stop() { active_ = false; }
  // True until the duration has passed.
  bool active() const { return active_; }

 private:
  // A difference that decays along one direction; x0 = 0: none.
  struct Decay {
    float x0 = 0, v0 = 0;
    float end_s = 0;
    Vec3 direction;
  };
  void StartJoint(int j, const PoseView& before, const PoseView& shown, const PoseView& target);
  void StartShape(int s, const PoseView& before, const PoseView& shown, const PoseView& target);
  Decay MakeDecay(Vec3 direction, float x0, float x_before, bool has_before,
                  double duration_s) const;
  float At(const Decay& decay) const;

  int joints_, shapes_;
  std::vector<Decay> translations_, rotations_, scales_, weights_;
  double duration_s_ = 0, shapes_duration_s_ = 0, frame_s_ = 0, elapsed_s_ = 0;
  bool active_ = false;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_INERTIALIZER_H_
