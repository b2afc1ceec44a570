// A shape set: the names that one standard or program gives to the shapes of a face, and what each
// is in ARKit's shapes. Sets are tables in data/shapes, one line per shape.
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

// What every set is converted to and from: ARKit's 52 shapes in Apple's order, then the 16 of the
// tongue that Audio2Face adds. mouthClose is Apple's (libs/skel/arkit_mouth.h).
inline constexpr int kTargets = 68;
using TargetWeights = std::array<float, kTargets>;
// Lower camel case: "eyeBlinkLeft".
absl::Span<const std::string> TargetNames();

// One shape of a set.
struct Shape {
  struct Part {
    int target = 0;
    float factor = 1;    // weight of the target when the shape's is 1; above 0, at most 1
    bool minor = false;  // the shape is recognised in a face without this part
  };
  // Whether a sink sends the shape: derived from ARKit's; always as 0; not at all.
  enum class Sent : uint8_t { kYes, kZero, kNo };

  std::string name;  // as it is sent
  std::vector<std::string> other_names;
  std::vector<Part> parts;  // none: the face has nothing like it
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
  // '|' separates the name that is sent from others that are understood. Each word of `arkit` is a
  // target with its factor, 1 unless given; a minor part is in parentheses. `sent` is yes, zero or
  // no. INVALID_ARGUMENT names the line.
  static absl::StatusOr<ShapeSet> Parse(absl::string_view id, absl::string_view table);

  const std::string& id() const { return id_; }  // "oculus"
  int size() const { return static_cast<int>(shapes_.size()); }
  absl::Span<const Shape> shapes() const { return shapes_; }
  const Shape& shape(int i) const { return shapes_[static_cast<size_t>(i)]; }
  // Whether every shape is the target of the same name, as in ARKit's own sets.
  bool is_arkit() const { return is_arkit_; }
  // Returns the index of a shape, or -1.
  int Find(absl::string_view name) const;

  // Adds up the targets of all shapes. `weights` has one per shape; values outside 0..1, and the
  // sums, are clamped. Targets that the set does not have become 0.
  void ToArkit(absl::Span<const float> weights, TargetWeights& out) const;
  // Finds weights, 0..1, that show as much of the face as the set can: never more of a target than
  // there is, except for minor parts. Shapes that look alike get the same weight. If the set has no
  // shape for mouthClose, an open jaw counts as far as the lips are apart. Shapes that are not sent
  // become 0. `out` has one per shape.
  void FromArkit(const TargetWeights& face, absl::Span<float> out) const;

 private:
  // Shapes with proportional parts, taken as one: their factors are added.
  struct Unit {
    std::vector<Shape::Part> parts;
    std::vector<int> members;
    bool alone = true;  // no other unit has a target of its parts that are not minor
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

// The sets of data/shapes, parsed once. Of sets that match equally, the first is preferred.
const absl::StatusOr<std::vector<ShapeSet>>& BuiltinSets();
// Their names: "arkit", "perfect_sync" and so on.
std::vector<std::string> BuiltinSetNames();
// Returns null if there is none of this name.
const ShapeSet* FindSet(absl::string_view id);
// OK for the name of a set; otherwise INVALID_ARGUMENT with those that there are.
absl::Status CheckSetName(absl::string_view id);

}  // namespace posewire::shapes

#endif  // POSEWIRE_LIBS_SHAPES_SHAPE_SET_H_
