// Lookups in a composed layer (libs/formats/usd/compose.h): prims by path, values at a time, and
// the transforms of prims in our space.
#ifndef POSEWIRE_LIBS_FORMATS_USD_STAGE_H_
#define POSEWIRE_LIBS_FORMATS_USD_STAGE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/formats/usd/layer.h"
#include "libs/skel/affine.h"

namespace posewire::usd {

// Immutable; any thread. Prims have indices, parents before their children; -1 is no prim.
class Stage {
 public:
  // From what Compose returned.
  explicit Stage(Layer layer);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  struct Node {
    const Prim* prim = nullptr;
    int parent = -1;
    std::string path;
    bool defined = false;  // it and all above are defined (def), not only referred to (over, class)
  };
  const std::vector<Node>& nodes() const { return nodes_; }
  const Prim& prim(int i) const { return *nodes_[static_cast<size_t>(i)].prim; }
  const std::string& path(int i) const { return nodes_[static_cast<size_t>(i)].path; }
  int Find(absl::string_view path) const;
  const Layer& layer() const { return layer_; }

  double time_codes_per_second() const { return time_codes_per_second_; }
  // From the stage's space to ours: metres, Y up. In Z-up stages, characters face -Y.
  const skel::Affine& to_our_space() const { return to_our_space_; }

  // Returns the values of an attribute at a time code: linear between samples, slerp for
  // quaternions, constant outside and for integers; halves and floats are rounded to their type.
  // Empty without a value.
  std::vector<double> Numbers(int prim, absl::string_view name, double time) const;
  // The same for constant attributes.
  std::vector<double> Numbers(int prim, absl::string_view name) const;
  const std::vector<std::string>& Texts(int prim, absl::string_view name) const;
  // Returns the word of a token or text; empty without one.
  std::string Text(int prim, absl::string_view name) const;
  // Returns the file of an asset, relative to the stage's folder; empty without one.
  std::string Asset(int prim, absl::string_view name) const;
  // Returns the time codes of an attribute's samples; none if it is constant.
  std::vector<double> Times(int prim, absl::string_view name) const;
  // Returns an attribute's metadata; nullptr if there is none.
  const Value* Metadata(int prim, absl::string_view name, absl::string_view key) const;
  bool Has(int prim, absl::string_view name) const;  // has a value

  // Returns the targets of a relationship, -1 for missing prims.
  std::vector<int> Targets(int prim, absl::string_view name) const;
  // Returns the nearest of this prim and those above that has this property; -1 if there is none.
  int Inherited(int prim, absl::string_view name) const;

  // Returns the transform from a prim's space to the stage's, by xformOpOrder.
  skel::Affine ToStage(int prim, double time) const;
  // Adds the times at which that may change.
  void AddTimesOfPlace(int prim, std::vector<double>& times) const;

 private:
  void Add(const Prim& prim, int parent);
  const Property* Find(int prim, absl::string_view name, Property::Part part) const;
  skel::Affine Local(int prim, double time) const;

  Layer layer_;
  std::vector<Node> nodes_;
  absl::flat_hash_map<std::string, int> by_path_;
  double time_codes_per_second_ = 24;
  skel::Affine to_our_space_;
};

// Time code of constant values: the earliest sample is used.
inline constexpr double kEarliest = -1e300;

// Returns a matrix of 16 numbers; identity for another count.
skel::Affine AffineOf(absl::Span<const double> numbers);

// INVALID_ARGUMENT: "line 7: /World/Body: why".
absl::Status AtPrim(const Stage& stage, int prim, absl::string_view why);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_STAGE_H_
