// Moves the hands of a body with different proportions so that contacts are preserved.
//
// Two bodies are in the same pose: `from`, for which the pose was made, and `to`, whose limbs have
// the same directions but different lengths. If a palm or the finger tips are near a part of `from`
// (the head, the trunk, a thigh, the other arm), they are placed near the same part of `to`: at the
// same fraction of its length, and at the same distance from its surface, scaled to the hands. Two
// palms that are near each other keep their distance. Hands far from everything do not change. The
// result depends only on the pose and changes smoothly with it, so no history is needed.
//
// Clips and live characters share this class: skel::HandContact applies it to rigs, and
// character::BodyContact to rendered bodies. The page has the same code in contacts.js.
#ifndef POSEWIRE_LIBS_SKEL_HAND_TOUCH_H_
#define POSEWIRE_LIBS_SKEL_HAND_TOUCH_H_

#include <array>

#include "libs/skel/math.h"

namespace posewire::skel {

// Plain data and formulas; Run may be called on any thread and does not allocate. Metres, in one
// space for the whole body.
class HandTouch {
 public:
  static constexpr size_t kHands = 2, kPoints = 2, kRings = 6;
  enum Part : size_t { kHead, kTrunk, kPelvis, kLeftThigh, kRightThigh, kParts };

  // A cross-section of a part: distances from its line to its surface, to both sides, to the front
  // and to the back. All zero: the part is only its line.
  struct Ring {
    float side_m = 0, front_m = 0, back_m = 0;
  };
  // Rings at equal steps from the start of a line to its end.
  using Rings = std::array<Ring, kRings>;

  // Contact distances of a part: full contact below near_m from its surface, none above far_m.
  struct Touched {
    bool known = false;  // false: hands ignore this part
    float near_m = 0, far_m = 1;
    // Contacts are possible only between these fractions of its length.
    float counts_from = 0, counts_to = 1;
    bool hangs = false;  // hands at its sides hang freely, and are only kept from entering it
    Rings from = {}, to = {};
  };

  // A part in a pose: the line from `start` to `start + way`, and the rotations of its two ends.
  struct Line {
    Vec3 start, way;
    Quat turn, end_turn;
  };
  // An arm in a pose. `hinge`: unit axis about which positive rotations bend the elbow.
  struct Arm {
    Vec3 shoulder, elbow, wrist, hinge;
    std::array<Vec3, kPoints> points;  // the palm, and the finger tips
    bool moves = true;
  };
  // Arms are left and right.
  struct Body {
    std::array<Line, kParts> parts;
    std::array<Arm, kHands> arms;
  };
  // Additional rotations of an arm, in the space of the body.
  struct Turn {
    Quat upper, lower;
  };

  std::array<Touched, kParts> parts;
  float scale = 1;    // scale of distances from a surface, and between palms
  size_t points = 1;  // number of points used: the palm, or the finger tips too
  // Contact distances of the other arm (as in Touched), and of palms from each other.
  float arm_near_m = 0.08f, arm_far_m = 0.14f, palm_near_m = 0.1f, palm_far_m = 0.22f;

  // Moves the arms of `to`, and returns the rotations used; hands keep their rotations.
  void Run(const Body& from, Body& to, std::array<Turn, kHands>& turns) const;

 private:
  // Current place and target of a point, and how much it touches anything.
  struct Point {
    Vec3 from, is, goal;
    float touches = 0;
  };
  // Targets of all points of a hand.
  struct Hand {
    std::array<Point, kPoints> points;
    float on_arm = 0;  // how much it touches the other arm, from 0 to 1
  };
  struct Pull;

  void Draw(const Body& from, const Body& to, size_t hand, Hand& out) const;
  void DrawTo(const Touched& part, const Line& was, const Line& is, const Point& point,
              Pull& pull) const;
  static void Move(Vec3 by, Arm& arm, Turn& turn);
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_HAND_TOUCH_H_
