// Which elements a pose has, and which have appeared or disappeared.
#ifndef POSEWIRE_LIBS_GRAPH_PRESENCE_H_
#define POSEWIRE_LIBS_GRAPH_PRESENCE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "libs/graph/transition_requests.h"
#include "libs/skel/pose.h"

namespace posewire::graph {

// Returns whether a pose has every element.
inline bool SaysAll(const skel::PoseView& pose) {
  const auto all = [](const uint8_t* has, int n) {
    return n == 0 || std::memchr(has, 0, static_cast<size_t>(n)) == nullptr;
  };
  return all(pose.has_t, pose.joints) && all(pose.has_r, pose.joints) &&
         all(pose.has_s, pose.joints) && all(pose.has_w, pose.shapes);
}

// Remembers which elements a pose had. Only the constructor allocates.
class PresenceWatch {
 public:
  PresenceWatch(int joints, int shapes)
      : joints_(static_cast<size_t>(joints)), said_(3 * joints_ + static_cast<size_t>(shapes)) {}

  int shapes() const { return static_cast<int>(said_.size() - 3 * joints_); }
  // Returns whether the pose of the last Note had the element.
  bool said(size_t row, size_t element) const {
    return all_ || said_[row * joints_ + element] != 0;
  }
  // Calls changed(row, element) for each element that is present in only one of `pose` and the
  // previous pose; the first pose is not compared. Returns true if the pose has every element.
  template <typename F>
  bool Note(const skel::PoseView& pose, F changed) {
    if (all_ ? SaysAll(pose) : known_ && SaysAsBefore(pose)) return all_;
    const bool all = SaysAll(pose);
    for (size_t row = 0; row < kElementRows; ++row) {
      const uint8_t* now = PresenceRow(pose, row);
      uint8_t* before = said_.data() + row * joints_;
      const auto n = static_cast<size_t>(row < 3 ? pose.joints : pose.shapes);
      if (all_) std::memset(before, 1, n);
      if (std::memcmp(now, before, n) == 0) continue;
      for (size_t i = 0; known_ && i < n; ++i) {
        if (now[i] != before[i]) changed(row, i);
      }
      std::memcpy(before, now, n);
    }
    all_ = all;
    known_ = true;
    return all;
  }

 private:
  bool SaysAsBefore(const skel::PoseView& pose) const {
    for (size_t row = 0; row < kElementRows; ++row) {
      const auto n = static_cast<size_t>(row < 3 ? pose.joints : pose.shapes);
      if (std::memcmp(PresenceRow(pose, row), said_.data() + row * joints_, n) != 0) return false;
    }
    return true;
  }

  size_t joints_;
  std::vector<uint8_t> said_;
  bool all_ = false, known_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_PRESENCE_H_
