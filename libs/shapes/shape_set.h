// A shape set: the names that one standard or program gives to the shapes of a face, each expressed
// in ARKit's shapes. Sets are tables in data/shapes, one line per shape.
#ifndef POSEWIRE_LIBS_SHAPES_SHAPE_SET_H_
#define POSEWIRE_LIBS_SHAPES_SHAPE_SET_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::shapes {

// Targets: the shapes that every set is converted to and from. ARKit's 52 shapes in Apple's order,
// then the 16 of the tongue that Audio2Face adds. mouthClose is Apple's (libs/skel/arkit_mouth.h).
inline constexpr int kTargets = 68;
using TargetWeights = std::array<float, kTargets>;
// Returns the names in lower camel case, such as "eyeBlinkLeft".
absl::Span<const std::string> TargetNames();

// One shape of a set.
struct Shape {
  struct Part {
    int target = 0;
    float factor = 1;    // weight of the target when the shape's is 1; above 0, at most 1
    bool minor = false;  // a face need not have this part to have the shape
  };
  // Whether a sink sends the shape: yes, converted from ARKit's; always as 0; or not at all.
  enum class Sent : uint8_t { kYes, kZero, kNo };

  std::string name;  // as it is sent
  std::vector<std::string> other_names;
  std::vector<Part> parts;  // empty: no target is similar
  Sent sent = Sent::kYes;
};

// Immutable after Parse. Names are compared by their keys (skel::ShapeKey), so case and separators
// do not matter.
class ShapeSet {
 public:
  // Parses a table:
  //
  //   # What the set is, who uses it, and the source of its facts.
  //   shape,arkit,sent
  //   viseme_E|E,jawOpen*0.46 mouthStretchLeft*0.24 (mouthSmileLeft*0.14),yes
  //   sil,,zero
  //
  // In `shape`, the name that is sent comes first, then other accepted names, separated by '|'.
  // Each word of `arkit` is a target with its factor, 1 unless given; a minor part is in
  // parentheses. `sent` is yes, zero or no. INVALID_ARGUMENT names the line.
  static absl::StatusOr<ShapeSet> Parse(absl::string_view id, absl::string_view table);

  const std::string& id() const { return id_; }  // "oculus"
  int size() const { return static_cast<int>(shapes_.size()); }
  absl::Span<const Shape> shapes() const { return shapes_; }
  const Shape& shape(int i) const { return shapes_[static_cast<size_t>(i)]; }
  // Whether every shape is the target of the same name, as in ARKit's own sets.
  bool is_arkit() const { return is_arkit_; }
  // Returns the index of a shape, or -1.
  int Find(absl::string_view name) const;

  // Sums up each target over all shapes. `weights` has one value per shape. Weights and sums are
  // clamped to 0..1. Targets that the set does not have become 0.
  void ToArkit(absl::Span<const float> weights, TargetWeights& out) const;
  // Computes weights, 0..1, that show as much of the face as the set can, but never more of a
  // target than the face has, except for minor parts. Shapes with proportional parts get the same
  // weight. If the set has no shape for mouthClose, jawOpen is taken to be how far the lips are
  // apart. Shapes that are not sent become 0. `out` has one weight per shape.
  void FromArkit(const TargetWeights& face, absl::Span<float> out) const;

 private:
  // Shapes with proportional parts, treated as one shape: the sum of their factors.
  struct Unit {
    std::vector<Shape::Part> parts;
    std::vector<int> members;
    bool alone = true;  // shares none of its targets with another unit, except in minor parts
  };
  ShapeSet() = default;
  absl::Status AddLine(absl::string_view line);
  absl::Status AddParts(absl::string_view words, Shape& shape) const;
  absl::Status AddName(absl::string_view name, int shape);
  void MakeUnits();
  static float Fit(const Unit& unit, const TargetWeights& face);
  static float Shown(const Unit& unit, float weight, const TargetWeights& face);

  std::string id_;
  std::vector<Shape> shapes_;
  absl::flat_hash_map<std::string, int> by_key_;
  std::vector<Unit> units_;
  bool closes_mouth_ = false, is_arkit_ = true;
};

// Returns the sets of data/shapes, parsed once, in order of preference.
const absl::StatusOr<std::vector<ShapeSet>>& BuiltinSets();
// Returns their names: "arkit", "perfect_sync" and so on.
std::vector<std::string> BuiltinSetNames();
// Returns the set with this name, or null if there is none.
const ShapeSet* FindSet(absl::string_view id);
// Returns OK for the name of a set, else INVALID_ARGUMENT with the valid names.
absl::Status CheckSetName(absl::string_view id);

}  // namespace posewire::shapes

#endif  // POSEWIRE_LIBS_SHAPES_SHAPE_SET_H_
