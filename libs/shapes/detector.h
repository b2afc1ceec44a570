// Detects the shape set that names belong to.
#ifndef POSEWIRE_LIBS_SHAPES_DETECTOR_H_
#define POSEWIRE_LIBS_SHAPES_DETECTOR_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/shapes/shape_set.h"

namespace posewire::shapes {

// A set with fewer matches is not detected: they could be chance.
inline constexpr int kLeastNames = 3;

struct Detected {
  const ShapeSet* set = nullptr;  // null: no set has kLeastNames of the names
  int matched = 0;                // how many shapes of the set are among the names
};

// Collects names, in any order and spelling; a name may come more than once. Add does not allocate
// for names up to 64 bytes. One thread at a time.
class Detector {
 public:
  Detector();
  void Add(absl::string_view name);
  // The built-in set with the most shapes among the names. Ties go to the set that spells more of
  // them exactly, then to the first.
  const Detected& best() const { return best_; }

 private:
  struct Count {
    const ShapeSet* set;
    std::vector<bool> seen;  // for each shape
    int matched = 0;
    int exact = 0;
  };
  std::vector<Count> counts_;
  Detected best_;
};

// Returns the best set for these names.
Detected Detect(absl::Span<const std::string> names);

}  // namespace posewire::shapes

#endif  // POSEWIRE_LIBS_SHAPES_DETECTOR_H_
