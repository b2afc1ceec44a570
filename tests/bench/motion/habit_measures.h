// What makes somebody who talks look stiff or alive, in numbers that are read off the poses alone.
//
// Hands and elbows are seen from the chest, so that a shift of the weight moves none of them.
#ifndef POSEWIRE_TESTS_BENCH_MOTION_HABIT_MEASURES_H_
#define POSEWIRE_TESTS_BENCH_MOTION_HABIT_MEASURES_H_

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "libs/skel/model_place.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire {

class MotionHabits {
 public:
  struct Numbers {
    double minutes = 0;
    double elbow_m = 0;         // how far out of its shoulder an elbow is, the median
    double hands_up_m = 0;      // the lower hand above the hips, the median
    double home_a_minute = 0;   // both hands come back to where they are most of the time
    double frozen = 0;          // share of frames in which both hands are slower than 1 cm/s
    double hold_deg_s = 0;      // how fast a hand turns that is held up, the median
    double fingers_deg_s = 0;   // and its fingers bend
    double hips_m = 0;          // from the leftmost to the rightmost place of the hips
    double steps_a_minute = 0;  // a foot comes off the ground
    void Add(const Numbers& other, double share);
  };

  explicit MotionHabits(std::shared_ptr<const skel::Rig> rig);
  // Of poses 30 a second, in order.
  void Add(const skel::PoseView& pose);
  Numbers Count() const;

  static void PrintHead();
  static void PrintRow(const std::string& name, const Numbers& numbers);

 private:
  struct Frame {
    std::array<skel::Vec3, 2> wrist;  // seen from the chest, metres
    std::array<float, 2> elbow_m, ankle_m, hand_deg_s, fingers_deg_s;
    float lower_m = 0, hips_m = 0;
  };

  std::shared_ptr<const skel::Rig> rig_;
  std::vector<Frame> frames_;
  skel::Pose last_;
};

}  // namespace posewire

#endif  // POSEWIRE_TESTS_BENCH_MOTION_HABIT_MEASURES_H_
