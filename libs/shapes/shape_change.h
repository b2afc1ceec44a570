// Changes the shapes of a clip or stream from one set to another, by their names.
#ifndef POSEWIRE_LIBS_SHAPES_SHAPE_CHANGE_H_
#define POSEWIRE_LIBS_SHAPES_SHAPE_CHANGE_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "libs/shapes/detector.h"
#include "libs/shapes/shape_set.h"

namespace posewire::shapes {

// Shapes that belong to neither set stay, first and in their order. A shape under ARKit's own name
// that the detected set does not have wins over what the set says. ARKit's shapes in clips and
// streams have ACE's mouthClose (libs/skel/arkit_mouth.h); other sets have Apple's.
//
// Apply allocates only as `out` grows. One thread at a time.
class ShapeChange {
 public:
  // Finds out which set the names are of. `to` is the set that is wanted, null for ARKit's shapes
  // as far as the names reach. Returns nothing if there is nothing to change: the names are of no
  // set, or of the one that is wanted.
  static std::optional<ShapeChange> Make(absl::Span<const std::string> names, const ShapeSet* to);

  // The set of the names; null set: ARKit's.
  const Detected& from() const { return from_; }
  // The names after the change.
  const std::vector<std::string>& names() const { return names_; }
  // Appends the weights of `names` to `out`; `in` has one for each of the names before.
  void Apply(absl::Span<const float> in, std::vector<float>& out);

 private:
  // What a weight is: that of a shape of the set, of a target, or of neither.
  struct Source {
    int shape = -1, target = -1;
  };
  ShapeChange() = default;
  void FindSources(absl::Span<const std::string> names);
  void NameTargets();
  void NameShapes();

  Detected from_;
  const ShapeSet* to_ = nullptr;
  std::vector<Source> sources_;
  std::array<bool, kTargets> reached_{};
  std::vector<std::string> names_;
  std::vector<int> sent_;  // the last of names_: targets, or shapes of to_
  std::vector<float> set_weights_, to_weights_;
};

}  // namespace posewire::shapes

#endif  // POSEWIRE_LIBS_SHAPES_SHAPE_CHANGE_H_
