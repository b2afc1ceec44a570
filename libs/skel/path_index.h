// Finds joints by their paths, or by as much of the path's ending as identifies one joint.
//
// A joint is its path: "Body/L/Finger" and "Body/R/Finger" are two joints. Files and programs
// differ in where their paths begin, and many send only last elements, so a path also means the one
// joint with which it shares the longest ending: "L/Finger" and "/Root/Body/L/Finger" mean the
// first of the two, and "Finger" means neither.
#ifndef POSEWIRE_LIBS_SKEL_PATH_INDEX_H_
#define POSEWIRE_LIBS_SKEL_PATH_INDEX_H_

#include <limits>
#include <set>
#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::skel {

// The part after the last '/'.
absl::string_view LastPathElement(absl::string_view path);

// Paths come from anybody, so each call costs O(bytes of the path * log n), whatever the names are:
// the paths are sorted by their endings, and those that share an ending are next to each other.
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

  // Of paths that were added twice, finds the last.
  Match Find(absl::string_view path) const;

  // The shortest ending of path `index`, in whole elements, that finds it.
  absl::string_view ShortestName(int index) const;

 private:
  struct Entry {
    absl::string_view path;
    int index;
  };
  // By the characters from the last to the first, '/' before all others; equal paths the last one
  // first.
  struct ByEnding {
    bool operator()(const Entry& a, const Entry& b) const;
  };

  std::vector<absl::string_view> paths_;
  std::set<Entry, ByEnding> sorted_;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_PATH_INDEX_H_
