#include "libs/shapes/detector.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "libs/skel/shape_names.h"

namespace posewire::shapes {
namespace {

// Where a name is: a shape of each set that has it.
struct Place {
  int set, shape;
};
using PlacesOfNames = absl::flat_hash_map<std::string, std::vector<Place>>;

const PlacesOfNames& BuiltinPlaces() {
  static const PlacesOfNames places = [] {
    PlacesOfNames made;
    if (!BuiltinSets().ok()) return made;
    for (size_t s = 0; s < BuiltinSets()->size(); ++s) {
      const ShapeSet& set = (*BuiltinSets())[s];
      for (int i = 0; i < set.size(); ++i) {
        const auto add = [&](absl::string_view name) {
          made[skel::ShapeKeyOf(name)].push_back({static_cast<int>(s), i});
        };
        add(set.shape(i).name);
        for (const std::string& name : set.shape(i).other_names) add(name);
      }
    }
    return made;
  }();
  return places;
}

bool Spells(const Shape& shape, absl::string_view name) {
  return shape.name == name || std::find(shape.other_names.begin(), shape.other_names.end(),
                                         name) != shape.other_names.end();
}

}  // namespace

Detector::Detector() {
  if (!BuiltinSets().ok()) return;
  for (const ShapeSet& set : *BuiltinSets()) {
    counts_.push_back({&set, std::vector<bool>(static_cast<size_t>(set.size()), false)});
  }
}

void Detector::Add(absl::string_view name) {
  const auto found = BuiltinPlaces().find(skel::ShapeKey(name).text());
  if (found == BuiltinPlaces().end()) return;
  bool is_new = false;
  for (const Place& place : found->second) {
    Count& count = counts_[static_cast<size_t>(place.set)];
    const auto i = static_cast<size_t>(place.shape);
    if (count.seen[i]) continue;
    count.seen[i] = is_new = true;
    ++count.matched;
    count.exact += Spells(count.set->shape(place.shape), name) ? 1 : 0;
  }
  if (!is_new) return;
  const auto best =
      std::max_element(counts_.begin(), counts_.end(), [](const Count& a, const Count& b) {
        return std::pair(a.matched, a.exact) < std::pair(b.matched, b.exact);
      });
  if (best->matched >= kLeastNames) best_ = {best->set, best->matched};
}

Detected Detect(absl::Span<const std::string> names) {
  Detector detector;
  for (const std::string& name : names) detector.Add(name);
  return detector.best();
}

}  // namespace posewire::shapes
