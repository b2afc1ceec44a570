// How a pose comes to rest after a discontinuity: the difference at the switch is added to the new
// input and decays to nothing, so that only the new input is evaluated.
//
// After D. Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC
// 2018. Each difference is a direction times a scalar: a vector's length, or the angle about the
// axis of a rotation. The scalar falls from x0 with the velocity v0 that was shown, and reaches
// zero with zero slope and zero acceleration. The acceleration at the start is free; it is set so
// that the fastest step is small (16/9 of the mean, not 135/64): a turn by 180 degrees in 0.3 s
// takes at most 36 degrees a thirtieth of a second. A velocity away from the target counts as zero;
// one that would overshoot shortens the time to -4 x0 / v0.
#ifndef POSEWIRE_LIBS_SKEL_INERTIA_H_
#define POSEWIRE_LIBS_SKEL_INERTIA_H_

#include "libs/skel/math.h"

namespace posewire::skel {

// The clock of one difference. Any thread.
class Inertia {
 public:
  Inertia() = default;
  // From x0 now, which was x_before `dt_s` earlier (0: unknown). Inactive for a difference too
  // small to see and for a duration of 0 or less.
  Inertia(float x0, float x_before, double dt_s, double duration_s);

  bool active() const { return end_s_ > 0; }
  void Advance(double dt_s);
  // Seconds until it is over.
  float rest_s() const { return end_s_ - at_s_; }
  // The fraction of the difference that is left, 1 to 0.
  float Left() const;

 private:
  float speed_ = 0;  // v0 / x0
  float end_s_ = 0, at_s_ = 0;
};

// The difference that takes `target` to what was shown, with its clock: a rotation vector in the
// parent's space (Exp(d) target is what was shown), or a vector. `before` was shown dt_s earlier.
Vec3 StartTurn(Quat before, Quat shown, double dt_s, Quat target, double duration_s,
               Inertia& inertia);
Vec3 StartMove(Vec3 before, Vec3 shown, double dt_s, Vec3 target, double duration_s,
               Inertia& inertia);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_INERTIA_H_
