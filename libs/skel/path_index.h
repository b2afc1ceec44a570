// Finds joints by their paths, or by as much of a path's end as tells one joint from all others.
//
// A joint is its path: "Body/L/Finger" and "Body/R/Finger" are two joints. Files and programs
// differ in where their paths begin, and many send last elements alone, so that a path also means
// the one joint with which it shares the longest end: "L/Finger" and "/Root/Body/L/Finger" mean the
// first of the two, and "Finger" means neither.
#ifndef POSEWIRE_LIBS_SKEL_PATH_INDEX_H_
#define POSEWIRE_LIBS_SKEL_PATH_INDEX_H_

#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace posewire::skel {

// What stands behind the last '/'.
absl::string_view LastPathElement(absl::string_view path);

class PathIndex {
 public:
  // More elements than any path has: the whole paths are the same.
  static constexpr int kWhole = std::numeric_limits<int>::max();

  struct Match {
    int index = -1;    // -1: none, or several equally well
    int elements = 0;  // that both paths end in
    bool several = false;
  };

  // Numbers the paths from 0. The text outlives this.
  void Add(absl::string_view path);

  Match Find(absl::string_view path) const;

  // The shortest end of path `index`, in whole elements, by which it is found.
  absl::string_view ShortestName(int index) const;

 private:
  std::vector<absl::string_view> paths_;
  std::vector<int> next_;                                // with the same last element, or -1
  absl::flat_hash_map<absl::string_view, int> by_leaf_;  // the last one added
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_PATH_INDEX_H_
