// Finds joints by their paths, or by as much of the path's end as identifies one joint.
//
// A joint is identified by its path: "Body/L/Finger" and "Body/R/Finger" are two joints. Files and
// programs differ in where their paths begin, and many send only last elements. Therefore a path
// also matches the one joint with which it shares the longest end: "L/Finger" and
// "/Root/Body/L/Finger" match the first of the two, and "Finger" matches neither.
#ifndef POSEWIRE_LIBS_SKEL_PATH_INDEX_H_
#define POSEWIRE_LIBS_SKEL_PATH_INDEX_H_

#include <limits>
#include <set>
#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::skel {

// Returns the part after the last '/'.
absl::string_view LastPathElement(absl::string_view path);

// Paths are untrusted, so each call costs O(bytes of the path * log n) for any names: the paths are
// sorted by their ends, and those that share an end are adjacent.
class PathIndex {
 public:
  // More elements than any path has: the whole paths are equal.
  static constexpr int kWhole = std::numeric_limits<int>::max();

  struct Match {
    int index = -1;    // -1: no match, or several equally good ones
    int elements = 0;  // number of last elements that both paths share
    bool several = false;
  };

  // Adds a path; they are numbered from 0. The text must outlive this.
  void Add(absl::string_view path);

  // If a path was added twice, returns the last.
  Match Find(absl::string_view path) const;

  // Returns the shortest end of path `index`, in whole elements, that finds it.
  absl::string_view ShortestName(int index) const;

 private:
  struct Entry {
    absl::string_view path;
    int index;
  };
  // Orders by characters from the last to the first, with '/' before all others; of equal paths,
  // the last one comes first.
  struct ByEnding {
    bool operator()(const Entry& a, const Entry& b) const;
  };

  std::vector<absl::string_view> paths_;
  std::set<Entry, ByEnding> sorted_;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_PATH_INDEX_H_
