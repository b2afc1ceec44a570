// Smooths a pose after a discontinuity: the difference at the switch is added to the new input and
// decays to zero, so that only the new input is evaluated.
//
// After D. Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC
// 2018. Each difference is a direction times a scalar: a vector's length, or the angle about the
// axis of a rotation. The scalar falls from x0 with the velocity v0 of the shown motion, and
// reaches zero with zero slope and zero acceleration. The initial acceleration is free; it is
// chosen so that the fastest step is small (16/9 of the mean, not 135/64): a rotation by 180
// degrees in 0.3 s moves at most 36 degrees in a thirtieth of a second. A velocity away from the
// target counts as zero; one that would overshoot shortens the time to -4 x0 / v0.
#ifndef POSEWIRE_LIBS_SKEL_INERTIA_H_
#define POSEWIRE_LIBS_SKEL_INERTIA_H_

#include "libs/skel/math.h"

namespace posewire::skel {

// The time course of one difference. Any thread.
class Inertia {
 public:
  Inertia() = default;
  // Starts at x0; it was x_before `dt_s` earlier (0: unknown). Inactive if the difference is too
  // small to see or the duration is 0 or less.
  Inertia(float x0, float x_before, double dt_s, double duration_s);

  bool active() const { return end_s_ > 0; }
  void Advance(double dt_s);
  // Seconds until it ends.
  float rest_s() const { return end_s_ - at_s_; }
  // The remaining fraction of the difference, 1 to 0.
  float Left() const;

 private:
  float speed_ = 0;  // v0 / x0
  float end_s_ = 0, at_s_ = 0;
};

// Return the difference from `target` to the shown value, and start its time course: a rotation
// vector in the parent's space (Exp(d) target is the shown rotation), or a vector. `before` was
// shown dt_s earlier.
Vec3 StartTurn(Quat before, Quat shown, double dt_s, Quat target, double duration_s,
               Inertia& inertia);
Vec3 StartMove(Vec3 before, Vec3 shown, double dt_s, Vec3 target, double duration_s,
               Inertia& inertia);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_INERTIA_H_
