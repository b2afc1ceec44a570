// Lays weaker prims beneath stronger ones.
#ifndef POSEWIRE_LIBS_FORMATS_USD_MERGE_H_
#define POSEWIRE_LIBS_FORMATS_USD_MERGE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/formats/usd/layer.h"

namespace posewire::usd {

// By name: what only the weaker has is added. Dictionaries are merged by their keys.
void Merge(std::vector<Prim> weak, std::vector<Prim>& strong);
void Merge(Prim weak, Prim& strong);

// The same of many prims beneath one, strongest first: what the prim has is looked up, and not read
// anew for each of them. Nothing else changes `strong`, which is the same one, between two calls.
class Merger {
 public:
  Merger();
  Merger(const Merger&) = delete;
  Merger& operator=(const Merger&) = delete;
  ~Merger();

  void Add(Prim weak, Prim& strong);

 private:
  struct Known;
  std::unique_ptr<Known> known_;
};

// The references that metadata lists under a name, its edits (prepend, append, delete...) worked
// in; they are taken out of the metadata.
std::vector<Reference> TakeList(absl::string_view name, std::vector<Entry>& metadata);
// The same of names, such as those of variant sets.
std::vector<std::string> TakeNames(absl::string_view name, std::vector<Entry>& metadata);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_MERGE_H_
