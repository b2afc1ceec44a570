// Converts the shapes of a clip or stream from one set to another, by their names.
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

// Shapes that belong to no set are kept, in their order, before the others. A shape with one of
// ARKit's names that is not in the detected set replaces the value computed from the set. ARKit's
// shapes in clips and streams have ACE's mouthClose (libs/skel/arkit_mouth.h); other sets have
// Apple's.
//
// Apply allocates only as `out` grows. One thread at a time.
class ShapeChange {
 public:
  // Detects the set of the names. `to` is the set to convert to; null: ARKit's shapes, only those
  // that the names give values for. Returns nothing if there is nothing to convert: the names
  // belong to no set, or to the one to convert to.
  static std::optional<ShapeChange> Make(absl::Span<const std::string> names, const ShapeSet* to);

  // The detected set of the names; null if it is one of ARKit's.
  const Detected& from() const { return from_; }
  // The names after the conversion.
  const std::vector<std::string>& names() const { return names_; }
  // Appends the weights of names() to `out`. `in` has one weight for each name given to Make.
  void Apply(absl::Span<const float> in, std::vector<float>& out);

 private:
  // Where a weight of `in` goes: to a shape of the set, to a target, or to neither.
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
  std::vector<int> sent_;  // targets, or shapes of to_, that are the last of names_
  std::vector<float> set_weights_, to_weights_;
};

}  // namespace posewire::shapes

#endif  // POSEWIRE_LIBS_SHAPES_SHAPE_CHANGE_H_
