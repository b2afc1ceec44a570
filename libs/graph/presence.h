// Which elements a pose says, without their values.
#ifndef POSEWIRE_LIBS_GRAPH_PRESENCE_H_
#define POSEWIRE_LIBS_GRAPH_PRESENCE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "libs/skel/pose.h"

namespace posewire::graph {

// Rows of bytes, 0 or 1: 0 translations, 1 rotations, 2 scales, 3 shapes. Only the constructor
// allocates.
class Presence {
 public:
  Presence(int joints, int shapes)
      : joints_(joints),
        shapes_(shapes),
        bytes_(3 * static_cast<size_t>(joints) + static_cast<size_t>(shapes)) {}

  int joints() const { return joints_; }
  int shapes() const { return shapes_; }
  uint8_t* row(size_t r) { return bytes_.data() + r * static_cast<size_t>(joints_); }
  void Fill(uint8_t value) { std::fill(bytes_.begin(), bytes_.end(), value); }
  // A pose that has these elements and no values.
  skel::PoseView view() {
    skel::PoseView view;
    view.joints = joints_, view.shapes = shapes_;
    view.has_t = row(0), view.has_r = row(1), view.has_s = row(2), view.has_w = row(3);
    return view;
  }

 private:
  int joints_, shapes_;
  std::vector<uint8_t> bytes_;
};

// Whether a pose says every element.
inline bool SaysAll(const skel::PoseView& pose) {
  const auto all = [](const uint8_t* has, int n) {
    return n == 0 || std::memchr(has, 0, static_cast<size_t>(n)) == nullptr;
  };
  return all(pose.has_t, pose.joints) && all(pose.has_r, pose.joints) &&
         all(pose.has_s, pose.joints) && all(pose.has_w, pose.shapes);
}

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_PRESENCE_H_
