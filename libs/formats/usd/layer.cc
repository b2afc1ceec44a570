#include "libs/formats/usd/layer.h"

#include "absl/strings/str_split.h"

namespace posewire::usd {

const Property* Prim::Find(absl::string_view property, Property::Part part) const {
  for (auto it = properties.rbegin(); it != properties.rend(); ++it)
    if (it->part == part && it->name == property) return &*it;
  return nullptr;
}

const Prim* Layer::Find(absl::string_view path) const {
  if (path.empty() || path[0] != '/') return nullptr;
  const std::vector<Prim>* among = &prims;
  const Prim* found = nullptr;
  for (absl::string_view name : absl::StrSplit(path.substr(1), '/')) {
    found = nullptr;
    for (const Prim& prim : *among)
      if (prim.name == name) found = &prim;
    if (found == nullptr) return nullptr;
    among = &found->children;
  }
  return found;
}

}  // namespace posewire::usd
