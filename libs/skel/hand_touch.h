// Where hands go on a body of other proportions, so that they touch what they touched.
//
// Two bodies are in the same pose: `from`, for which it was made, and `to`, whose limbs have the
// same directions and other lengths. A palm, or the ends of the fingers, that is near a part of
// `from` (the head, the trunk, a thigh, the other arm) is put beside the same part of `to`: as far
// along it by its length, and as far off its surface at the scale of the hands; and two palms that
// are near each other are put as far apart as they were. Far from everything nothing changes. All
// follows from the pose alone and changes smoothly with it, so no history is needed.
//
// This is the part that clips and live characters share: skel::HandContact feeds it rigs, and
// character::BodyContact the bodies that are drawn. The page has it as contacts.js.
#ifndef POSEWIRE_LIBS_SKEL_HAND_TOUCH_H_
#define POSEWIRE_LIBS_SKEL_HAND_TOUCH_H_

#include <array>

#include "libs/skel/math.h"

namespace posewire::skel {

// Plain data and formulas; Run may run on any thread and does not allocate. Metres, one space for
// all of a body.
class HandTouch {
 public:
  static constexpr size_t kHands = 2, kPoints = 2, kRings = 6;
  enum Part : size_t { kHead, kTrunk, kPelvis, kLeftThigh, kRightThigh, kParts };

  // A cross-section of a part: from its line to its surface, to both sides, to the front and to the
  // back. All zero: the part has no surface but its line.
  struct Ring {
    float side_m = 0, front_m = 0, back_m = 0;
  };
  // Rings at equal steps from the start of a line to its end.
  using Rings = std::array<Ring, kRings>;

  // Of a part: how far off its surface it is touched, and from where on it is not.
  struct Touched {
    bool known = false;
    float near_m = 0, far_m = 1;
    // Of its length, where they are not 0 and 1: before and after these it is not touched.
    float counts_from = 0, counts_to = 1;
    bool hangs = false;  // beside it hands hang, and are only kept out of it
    Rings from = {}, to = {};
  };

  // A part in a pose: its line, and how its two ends are turned.
  struct Line {
    Vec3 start, way;
    Quat turn, end_turn;
  };
  // An arm in a pose. `hinge`: about which the elbow bends by positive turns, of unit length.
  struct Arm {
    Vec3 shoulder, elbow, wrist, hinge;
    std::array<Vec3, kPoints> points;  // the palm, and the ends of the fingers
    bool moves = true;
  };
  // Left and right.
  struct Body {
    std::array<Line, kParts> parts;
    std::array<Arm, kHands> arms;
  };
  // What turns an arm, in the space of the body, on top of how it is turned.
  struct Turn {
    Quat upper, lower;
  };

  std::array<Touched, kParts> parts;
  float scale = 1;    // of lengths off a surface, and between palms
  size_t points = 1;  // that count: the palm, or the ends of the fingers too
  // Of the other arm, as in Touched; and how near palms are to each other, and from where on they
  // are on their own.
  float arm_near_m = 0.08f, arm_far_m = 0.14f, palm_near_m = 0.1f, palm_far_m = 0.22f;

  // Moves the arms of `to`, and says by which turns; hands keep their turns.
  void Run(const Body& from, Body& to, std::array<Turn, kHands>& turns) const;

 private:
  // Where a point is, where it is to be, and how much it touches anything.
  struct Point {
    Vec3 from, is, goal;
    float touches = 0;
  };
  // Where all the points of a hand are to be.
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
