// Merges weaker prims beneath stronger ones.
#ifndef POSEWIRE_LIBS_FORMATS_USD_MERGE_H_
#define POSEWIRE_LIBS_FORMATS_USD_MERGE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/formats/usd/layer.h"

namespace posewire::usd {

// Merges by name: adds what only the weaker has. Dictionaries are merged by their keys.
void Merge(std::vector<Prim> weak, std::vector<Prim>& strong);
void Merge(Prim weak, Prim& strong);

// Merges many prims beneath one, strongest first. Keeps an index of the prim instead of reading it
// for each of them. `strong` must be the same in all calls, and must not be changed otherwise.
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

// Removes the references that metadata lists under a name, and returns them with their edits
// (prepend, append, delete...) applied.
std::vector<Reference> TakeList(absl::string_view name, std::vector<Entry>& metadata);
// The same for names, such as those of variant sets.
std::vector<std::string> TakeNames(absl::string_view name, std::vector<Entry>& metadata);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_MERGE_H_
