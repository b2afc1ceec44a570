// Decides which of two standing feet steps, when, and where to, and moves the hips accordingly.
//
// People who turn on the spot first open the foot on the side of the turn and then move the other
// one, and do not wait until their legs are twisted: they step to where they will face. Therefore a
// foot is compared with its target a moment later, aims at its target at the time of landing, and
// is kept from turning in over the other foot. Once the body rests, smaller differences are also
// corrected by steps. The hips move over the standing foot and come down a little, which gives the
// legs the necessary length.
#ifndef POSEWIRE_LIBS_GRAPH_STEPPER_H_
#define POSEWIRE_LIBS_GRAPH_STEPPER_H_

#include <array>

#include "libs/graph/foot_step.h"
#include "libs/skel/math.h"

namespace posewire::graph {

// The place of a foot in the animation, on the ground.
struct WantedFoot {
  FootPlace before, now;  // at the last tick and at this one
  skel::Vec3 speed_m_s;   // between them
  float turning_rad_s = 0;
};

// In arrays, left comes first. A value type; any thread, one at a time. Does not allocate. The same
// motion at another tick rate gives the same steps, up to what the ticks do not sample.
class Stepper {
 public:
  explicit Stepper(std::array<FootShape, 2> shape = {}) : shape_(shape) {}

  // `held`: which feet stand still; a step begins only if both do. Moves the stepping foot in
  // `shown`.
  void Advance(float dt_s, const std::array<WantedFoot, 2>& wanted, const std::array<bool, 2>& held,
               std::array<FootPlace, 2>& shown);
  // Aborts the current step.
  void Drop() { stepping_ = -1; }

  int stepping() const { return stepping_; }  // -1: none
  skel::Vec3 hips() const { return hips_; }   // their displacement in metres
  // Returns whether no step or motion is in progress.
  bool idle() const;

 private:
  struct Feet {
    const std::array<WantedFoot, 2>& wanted;
    std::array<FootPlace, 2>& shown;
    float share;  // fraction of the way from the last tick to this one
  };
  static FootPlace Wanted(const Feet& feet, size_t side, float ahead_s);
  static FootPlace Goal(const Feet& feet, size_t side, float ahead_s);
  int Next(const Feet& feet) const;
  void Begin(const Feet& feet, size_t side);
  void MoveHips(const Feet& feet, float dt_s);

  std::array<FootShape, 2> shape_;
  int stepping_ = -1, last_ = -1;  // the stepping foot, and the one that stepped last
  FootStep step_;
  float since_s_ = 1e3f;  // time since the end of the last step
  float still_s_ = 0;     // time since any target moved
  skel::Vec3 hips_, hips_speed_m_s_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_STEPPER_H_
