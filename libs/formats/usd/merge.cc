#include "libs/formats/usd/merge.h"

#include <algorithm>
#include <iterator>
#include <memory>
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

// Applies a list edit. "reorder" has no effect.
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

}  // namespace

// Of entries with the same name, the strongest counts. Dictionaries are merged. Edits of lists are
// all kept, and TakeList applies them.
class EntryMerger {
 public:
  void Add(std::vector<Entry> weak, std::vector<Entry>& strong) {
    if (weak.empty()) return;
    for (; seen_ < strong.size(); ++seen_) {
      if (strong[seen_].edit.empty()) places_.try_emplace(strong[seen_].name, seen_);
    }
    for (Entry& entry : weak) {
      if (entry.name.empty()) continue;
      const auto it = places_.find(entry.name);
      if (it == places_.end()) {
        strong.push_back(std::move(entry));
        continue;
      }
      Value& above = strong[it->second].value;
      if (above.kind == Value::Kind::kDictionary && entry.value.kind == Value::Kind::kDictionary) {
        std::unique_ptr<EntryMerger>& inside = inside_[it->second];
        if (inside == nullptr) inside = std::make_unique<EntryMerger>();
        inside->Add(std::move(entry.value.dictionary), above.dictionary);
      }
    }
  }

 private:
  size_t seen_ = 0;
  absl::flat_hash_map<std::string, size_t> places_;                   // of entries without edits
  absl::flat_hash_map<size_t, std::unique_ptr<EntryMerger>> inside_;  // for dictionaries
};

class PropertyMerger {
 public:
  void Add(std::vector<Property> weak, std::vector<Property>& strong) {
    if (weak.empty()) return;
    Look(strong);
    for (Property& property : weak) {
      const auto it = said_.find(property.name);
      if (it == said_.end()) {
        strong.push_back(std::move(property));
        continue;
      }
      const Said& s = it->second;
      const bool value = property.part == Part::kDefault || property.part == Part::kTimeSamples;
      const bool is_edited = value && !s.edited.empty();
      if (is_edited) {
        Property& edited = strong[s.edited.back()];
        Edit(edited.edit, std::move(edited.value.references), property.value.references);
        edited.value = std::move(property.value);
        edited.edit = std::move(property.edit);
        edited_.push_back(property.name);
      } else if ((value && s.value) || (property.part == Part::kConnection && s.connection)) {
        property.part = Part::kDeclared;
        property.value = {};
        property.samples.clear();
      }
      if (property.part == Part::kDeclared && property.metadata.empty()) continue;
      if (!is_edited) strong.push_back(std::move(property));
    }
  }

 private:
  struct Said {
    bool value = false, connection = false;
    std::vector<size_t> edited;  // relationships that edit weaker ones; the last counts
  };

  // Notes the properties added since the last call, and the results of edits.
  void Look(const std::vector<Property>& strong) {
    for (const std::string& name : std::exchange(edited_, {})) {
      std::vector<size_t>& edited = said_[name].edited;
      while (!edited.empty() && strong[edited.back()].edit.empty()) edited.pop_back();
    }
    for (; seen_ < strong.size(); ++seen_) {
      const Property& p = strong[seen_];
      Said& s = said_[p.name];
      s.value = s.value || p.part == Part::kDefault || p.part == Part::kTimeSamples;
      s.connection = s.connection || p.part == Part::kConnection;
      if (p.part == Part::kDefault && p.type == "rel" && !p.edit.empty()) {
        s.edited.push_back(seen_);
      }
    }
  }

  size_t seen_ = 0;
  absl::flat_hash_map<std::string, Said> said_;
  std::vector<std::string> edited_;
};

class PrimListMerger {
 public:
  void Add(std::vector<Prim> weak, std::vector<Prim>& strong);

 private:
  size_t seen_ = 0;
  absl::flat_hash_map<std::string, size_t> places_;
  absl::flat_hash_map<size_t, std::unique_ptr<Merger>> below_;
};

struct Merger::Known {
  EntryMerger metadata;
  PropertyMerger properties;
  PrimListMerger children;
  absl::flat_hash_map<std::string, std::unique_ptr<PrimListMerger>> variants;  // by variant set
};

Merger::Merger() : known_(std::make_unique<Known>()) {}
Merger::~Merger() = default;

void Merger::Add(Prim weak, Prim& strong) {
  if (strong.specifier == "over" && !weak.specifier.empty()) strong.specifier = weak.specifier;
  if (strong.type.empty()) strong.type = std::move(weak.type);
  known_->metadata.Add(std::move(weak.metadata), strong.metadata);
  known_->properties.Add(std::move(weak.properties), strong.properties);
  known_->children.Add(std::move(weak.children), strong.children);
  for (VariantSet& set : weak.variant_sets) {
    const auto same = std::find_if(strong.variant_sets.begin(), strong.variant_sets.end(),
                                   [&](const VariantSet& s) { return s.name == set.name; });
    if (same == strong.variant_sets.end()) {
      strong.variant_sets.push_back(std::move(set));
      continue;
    }
    std::unique_ptr<PrimListMerger>& variants = known_->variants[set.name];
    if (variants == nullptr) variants = std::make_unique<PrimListMerger>();
    variants->Add(std::move(set.variants), same->variants);
  }
}

void PrimListMerger::Add(std::vector<Prim> weak, std::vector<Prim>& strong) {
  if (weak.empty()) return;
  for (; seen_ < strong.size(); ++seen_) places_.try_emplace(strong[seen_].name, seen_);
  for (Prim& prim : weak) {
    const auto [it, added] = places_.try_emplace(prim.name, strong.size());
    if (added) {
      strong.push_back(std::move(prim));
      continue;
    }
    std::unique_ptr<Merger>& below = below_[it->second];
    if (below == nullptr) below = std::make_unique<Merger>();
    below->Add(std::move(prim), strong[it->second]);
  }
}

void Merge(Prim weak, Prim& strong) { Merger().Add(std::move(weak), strong); }

void Merge(std::vector<Prim> weak, std::vector<Prim>& strong) {
  PrimListMerger().Add(std::move(weak), strong);
}

std::vector<Reference> TakeList(absl::string_view name, std::vector<Entry>& metadata) {
  std::vector<Reference> list;
  // The weakest entries come last.
  for (auto it = metadata.rbegin(); it != metadata.rend(); ++it) {
    if (it->name == name) Edit(it->edit, std::move(it->value.references), list);
  }
  metadata.erase(std::remove_if(metadata.begin(), metadata.end(),
                                [&](const Entry& e) { return e.name == name; }),
                 metadata.end());
  return list;
}

std::vector<std::string> TakeNames(absl::string_view name, std::vector<Entry>& metadata) {
  // Lists of names have the same edits as lists of references.
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
