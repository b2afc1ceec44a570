// How fast a body moves, and how smoothly: speed and jerk of wrists, head and hips in numbers that
// can be put beside those of recorded people.
#ifndef POSEWIRE_TESTS_BENCH_MOTION_MOTION_SPEEDS_H_
#define POSEWIRE_TESTS_BENCH_MOTION_MOTION_SPEEDS_H_

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire {

// Takes the poses of a motion at 30 a second.
class MotionSpeeds {
 public:
  explicit MotionSpeeds(std::shared_ptr<const skel::Rig> rig);

  // The next motion follows; nothing is measured across.
  void Begin() { seen_ = 0; }
  // Components that a pose lacks are at rest.
  void Add(const skel::PoseView& pose);
  // A row of a table: for each part the median and the 95th percentile of its speed in m/s, and of
  // the size of its jerk, the third difference of its places, in m/s^3.
  void PrintRow(const std::string& name);
  static void PrintHead();

 private:
  static constexpr size_t kParts = 4;
  struct Part {
    int joint = -1;
    std::array<skel::Vec3, 4> at;  // of the last four poses, the newest first
    std::vector<float> speeds, jerks;
  };

  std::shared_ptr<const skel::Rig> rig_;
  std::array<Part, kParts> parts_;
  int seen_ = 0;
};

}  // namespace posewire

#endif  // POSEWIRE_TESTS_BENCH_MOTION_MOTION_SPEEDS_H_
