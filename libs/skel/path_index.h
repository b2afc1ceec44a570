// Finds joints by their paths, or by as much of the path's ending as identifies one joint.
//
// A joint is its path: "Body/L/Finger" and "Body/R/Finger" are two joints. Files and programs
// differ in where their paths begin, and many send only last elements, so a path also means the one
// joint with which it shares the longest ending: "L/Finger" and "/Root/Body/L/Finger" mean the
// first of the two, and "Finger" means neither.
#ifndef POSEWIRE_LIBS_SKEL_PATH_INDEX_H_
#define POSEWIRE_LIBS_SKEL_PATH_INDEX_H_

#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace posewire::skel {

// The part after the last '/'.
absl::string_view LastPathElement(absl::string_view path);

class PathIndex {
 public:
  // More elements than any path has: the whole paths are equal.
  static constexpr int kWhole = std::numeric_limits<int>::max();

  struct Match {
    int index = -1;    // -1: none, or several equally well
    int elements = 0;  // that both paths end in
    bool several = false;
  };

  // Numbers the paths from 0. The text must outlive this.
  void Add(absl::string_view path);

  Match Find(absl::string_view path) const;

  // The shortest ending of path `index`, in whole elements, that finds it.
  absl::string_view ShortestName(int index) const;

 private:
  std::vector<absl::string_view> paths_;
  std::vector<int> next_;                                // with the same last element, or -1
  absl::flat_hash_map<absl::string_view, int> by_leaf_;  // the last one added
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_PATH_INDEX_H_
