// Decides which of two standing feet steps, when, and where to, and what the hips do meanwhile.
//
// People who turn on the spot open the foot on the side of the turn first and bring the other one
// after it, and do not wait until their legs are twisted: they step to where they will face. So a
// foot is compared with where it is wanted a moment later, aims at where it is wanted when it
// lands, and is kept from turning in over the other one. Once the body rests, smaller differences
// are stepped away, too. The hips move over the foot that stands and come down a little, which
// gives the legs the length that they need.
#ifndef POSEWIRE_LIBS_GRAPH_STEPPER_H_
#define POSEWIRE_LIBS_GRAPH_STEPPER_H_

#include <array>

#include "libs/graph/foot_step.h"
#include "libs/skel/math.h"

namespace posewire::graph {

// Where the animation has a foot, on the ground.
struct WantedFoot {
  FootPlace before, now;  // of the last tick and of this one
  skel::Vec3 speed_m_s;   // between them
  float turning_rad_s = 0;
};

// In arrays, left comes first. A value; any thread, one at a time. Nothing allocates. The same
// motion at another tick rate gives the same steps within what the ticks leave unknown of it.
class Stepper {
 public:
  explicit Stepper(std::array<FootShape, 2> shape = {}) : shape_(shape) {}

  // `held`: which feet stand still; a step begins only where both do. Moves the foot in `shown`
  // that steps.
  void Advance(float dt_s, const std::array<WantedFoot, 2>& wanted, const std::array<bool, 2>& held,
               std::array<FootPlace, 2>& shown);
  // Gives up the step under way.
  void Drop() { stepping_ = -1; }

  int stepping() const { return stepping_; }  // -1: none
  skel::Vec3 hips() const { return hips_; }   // how far they are moved, metres
  // Nothing is under way.
  bool idle() const;

 private:
  struct Feet {
    const std::array<WantedFoot, 2>& wanted;
    std::array<FootPlace, 2>& shown;
    float share;  // how far from the last tick to this one
  };
  static FootPlace Wanted(const Feet& feet, size_t side, float ahead_s);
  static FootPlace Goal(const Feet& feet, size_t side, float ahead_s);
  int Next(const Feet& feet) const;
  void Begin(const Feet& feet, size_t side);
  void MoveHips(const Feet& feet, float dt_s);

  std::array<FootShape, 2> shape_;
  int stepping_ = -1, last_ = -1;  // which foot steps, and which one did last
  FootStep step_;
  float since_s_ = 1e3f;  // the last step ended
  float still_s_ = 0;     // nothing wanted has moved for so long
  skel::Vec3 hips_, hips_speed_m_s_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_STEPPER_H_
