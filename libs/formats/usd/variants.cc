#include "libs/formats/usd/variants.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/formats/usd/compose.h"

namespace posewire::usd {

size_t Selections::bytes() const {
  size_t out = 0;
  for (const auto& [path, sets] : of_) {
    out += path.size() + sizeof(sets);
    for (const auto& [set, variant] : sets) out += set.size() + variant.size() + sizeof(set) * 2;
  }
  return out;
}

void Selections::Add(const Prim& prim, const std::string& path) {
  const Value* const chosen = FindMetadata(prim.metadata, "variants");
  if (chosen != nullptr) {
    for (const Entry& entry : chosen->dictionary) {
      if (entry.value.texts.empty()) continue;
      of_[path].try_emplace(entry.name, entry.value.texts[0]);
    }
  }
  for (const Prim& child : prim.children) Add(child, absl::StrCat(path, "/", child.name));
}

Selections Selections::Moved(const std::string& from, const std::string& to) const {
  Selections out;
  if (const auto own = of_.find(from); own != of_.end()) out.of_[to] = own->second;
  const std::string inside = absl::StrCat(from, "/");
  for (auto it = of_.lower_bound(inside); it != of_.end() && absl::StartsWith(it->first, inside);
       ++it) {
    out.of_[absl::StrCat(to, it->first.substr(from.size()))] = it->second;
  }
  return out;
}

std::string Selections::Of(const std::string& path, const std::string& set) const {
  const auto sets = of_.find(path);
  if (sets == of_.end()) return "";
  const auto variant = sets->second.find(set);
  return variant == sets->second.end() ? "" : variant->second;
}

std::string Selections::Text() const {
  std::string out;
  for (const auto& [path, sets] : of_) {
    for (const auto& [set, variant] : sets) {
      for (const std::string& part : {path, set, variant}) {
        absl::StrAppend(&out, part.size(), ":", part);
      }
    }
  }
  return out;
}

std::string SelectionOf(const Prim& prim, absl::string_view set) {
  const Value* const chosen = FindMetadata(prim.metadata, "variants");
  if (chosen == nullptr) return "";
  for (const Entry& entry : chosen->dictionary) {
    if (entry.name == set && !entry.value.texts.empty()) return entry.value.texts[0];
  }
  return "";
}

}  // namespace posewire::usd
