// A composed layer (libs/formats/usd/compose.h) to look things up in: prims by path, values at a
// time, and the transforms of prims in our space.
#ifndef POSEWIRE_LIBS_FORMATS_USD_STAGE_H_
#define POSEWIRE_LIBS_FORMATS_USD_STAGE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/formats/usd/layer.h"
#include "libs/skel/affine.h"

namespace posewire::usd {

// Immutable; any thread. Prims are numbered, parents before their children; -1 is no prim.
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
    bool defined = false;  // it and all above are there (def), not only spoken of (over, class)
  };
  const std::vector<Node>& nodes() const { return nodes_; }
  const Prim& prim(int i) const { return *nodes_[static_cast<size_t>(i)].prim; }
  const std::string& path(int i) const { return nodes_[static_cast<size_t>(i)].path; }
  int Find(absl::string_view path) const;
  const Layer& layer() const { return layer_; }

  double time_codes_per_second() const { return time_codes_per_second_; }
  // Takes the stage's space into ours: metres, Y up. What lies behind it in Z-up stages looks
  // along -Y.
  const skel::Affine& to_our_space() const { return to_our_space_; }

  // The values of an attribute at a time code: linear between samples, slerp for quaternions, held
  // outside and for whole numbers; of halves and floats rounded as those. Empty without a value.
  std::vector<double> Numbers(int prim, absl::string_view name, double time) const;
  // The same of what is for all times.
  std::vector<double> Numbers(int prim, absl::string_view name) const;
  const std::vector<std::string>& Texts(int prim, absl::string_view name) const;
  // The word of a token or text; empty without one.
  std::string Text(int prim, absl::string_view name) const;
  // The file that an asset names, from the stage's folder; empty without one.
  std::string Asset(int prim, absl::string_view name) const;
  // The time codes of an attribute's samples; none for what is the same at all times.
  std::vector<double> Times(int prim, absl::string_view name) const;
  // Of an attribute's metadata; nullptr if it says no such thing.
  const Value* Metadata(int prim, absl::string_view name, absl::string_view key) const;
  bool Has(int prim, absl::string_view name) const;  // has a value

  // The prims that a relationship names, -1 for those that are not there.
  std::vector<int> Targets(int prim, absl::string_view name) const;
  // The nearest of this prim and those above that says something of it; -1 if none does.
  int Inherited(int prim, absl::string_view name) const;

  // From a prim's space to the stage's, by xformOpOrder.
  skel::Affine ToStage(int prim, double time) const;
  // The times at which that may change.
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

// The time code of what has none: the earliest sample counts.
inline constexpr double kEarliest = -1e300;

// INVALID_ARGUMENT: "line 7: /World/Body: why".
absl::Status AtPrim(const Stage& stage, int prim, absl::string_view why);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_STAGE_H_
