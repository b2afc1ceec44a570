#include "libs/usd/merge.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace posewire::usd {
namespace {

using Part = Property::Part;

void Remove(const std::vector<Reference>& some, std::vector<Reference>& from) {
  absl::flat_hash_set<std::pair<absl::string_view, absl::string_view>> gone;
  for (const Reference& r : some) gone.emplace(r.asset, r.path);
  from.erase(std::remove_if(from.begin(), from.end(),
                            [&](const Reference& r) {
                              return gone.contains(
                                  std::pair<absl::string_view, absl::string_view>(r.asset, r.path));
                            }),
             from.end());
}

// What an edit makes of a list.
void Edit(const std::string& edit, std::vector<Reference> items, std::vector<Reference>& list) {
  if (edit.empty()) {
    list = std::move(items);
  } else if (edit != "reorder") {
    Remove(items, list);
    if (edit == "delete") return;
    list.insert(edit == "prepend" ? list.begin() : list.end(),
                std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  }
}

// Of metadata each name counts once, but that edits of lists are worked into one another.
void Merge(std::vector<Entry> weak, std::vector<Entry>& strong) {
  if (weak.empty()) return;
  absl::flat_hash_map<std::string, size_t> said;
  for (size_t i = 0; i < strong.size(); ++i) {
    if (strong[i].edit.empty()) said.try_emplace(strong[i].name, i);
  }
  for (Entry& entry : weak) {
    if (entry.name.empty()) continue;
    const auto it = said.find(entry.name);
    if (it == said.end()) {
      strong.push_back(std::move(entry));
      continue;
    }
    Value& above = strong[it->second].value;
    if (above.kind == Value::Kind::kDictionary && entry.value.kind == Value::Kind::kDictionary) {
      Merge(std::move(entry.value.dictionary), above.dictionary);
    }
  }
}

void Merge(std::vector<VariantSet> weak, std::vector<VariantSet>& strong) {
  for (VariantSet& set : weak) {
    const auto same = std::find_if(strong.begin(), strong.end(),
                                   [&](const VariantSet& s) { return s.name == set.name; });
    if (same == strong.end()) {
      strong.push_back(std::move(set));
    } else {
      posewire::usd::Merge(std::move(set.variants), same->variants);
    }
  }
}

void Merge(std::vector<Property> weak, std::vector<Property>& strong) {
  if (weak.empty()) return;
  struct Said {
    bool value = false, connection = false;
    size_t edited = std::string::npos;  // a relationship that edits what is weaker
  };
  absl::flat_hash_map<std::string, Said> said;
  for (size_t i = 0; i < strong.size(); ++i) {
    const Property& p = strong[i];
    Said& s = said[p.name];
    s.value = s.value || p.part == Part::kDefault || p.part == Part::kTimeSamples;
    s.connection = s.connection || p.part == Part::kConnection;
    if (p.part == Part::kDefault && p.type == "rel" && !p.edit.empty()) s.edited = i;
  }
  for (Property& property : weak) {
    const auto it = said.find(property.name);
    if (it == said.end()) {
      strong.push_back(std::move(property));
      continue;
    }
    const Said& s = it->second;
    const bool value = property.part == Part::kDefault || property.part == Part::kTimeSamples;
    if (value && s.edited != std::string::npos) {
      Property& edited = strong[s.edited];
      Edit(edited.edit, std::move(edited.value.references), property.value.references);
      edited.value = std::move(property.value);
      edited.edit = std::move(property.edit);
    } else if ((value && s.value) || (property.part == Part::kConnection && s.connection)) {
      property.part = Part::kDeclared;
      property.value = {};
      property.samples.clear();
    }
    if (property.part != Part::kDeclared || !property.metadata.empty()) {
      if (!(value && s.edited != std::string::npos)) strong.push_back(std::move(property));
    }
  }
}

}  // namespace

void Merge(Prim weak, Prim& strong) {
  if (strong.specifier == "over" && !weak.specifier.empty()) strong.specifier = weak.specifier;
  if (strong.type.empty()) strong.type = std::move(weak.type);
  Merge(std::move(weak.metadata), strong.metadata);
  Merge(std::move(weak.properties), strong.properties);
  Merge(std::move(weak.children), strong.children);
  Merge(std::move(weak.variant_sets), strong.variant_sets);
}

void Merge(std::vector<Prim> weak, std::vector<Prim>& strong) {
  if (weak.empty()) return;
  absl::flat_hash_map<std::string, size_t> places;
  for (size_t i = 0; i < strong.size(); ++i) places.try_emplace(strong[i].name, i);
  for (Prim& prim : weak) {
    const auto [it, added] = places.try_emplace(prim.name, strong.size());
    if (added) {
      strong.push_back(std::move(prim));
    } else {
      Merge(std::move(prim), strong[it->second]);
    }
  }
}

std::vector<Reference> TakeList(absl::string_view name, std::vector<Entry>& metadata) {
  std::vector<Reference> list;
  // The weakest stand last.
  for (auto it = metadata.rbegin(); it != metadata.rend(); ++it) {
    if (it->name == name) Edit(it->edit, std::move(it->value.references), list);
  }
  metadata.erase(std::remove_if(metadata.begin(), metadata.end(),
                                [&](const Entry& e) { return e.name == name; }),
                 metadata.end());
  return list;
}

std::vector<std::string> TakeNames(absl::string_view name, std::vector<Entry>& metadata) {
  // Names are edited as references are.
  for (Entry& entry : metadata) {
    if (entry.name != name) continue;
    entry.value.references.clear();
    for (const std::string& text : entry.value.texts) {
      entry.value.references.emplace_back().path = text;
    }
  }
  std::vector<std::string> out;
  for (Reference& reference : TakeList(name, metadata)) out.push_back(std::move(reference.path));
  return out;
}

}  // namespace posewire::usd
