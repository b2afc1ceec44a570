// Selects variants of prims.
//
// A selection applies to a prim by its path, and stronger files select variants for the prims that
// they refer to. So selections are passed along with a reference, with the paths of its target.
#ifndef POSEWIRE_LIBS_FORMATS_USD_VARIANTS_H_
#define POSEWIRE_LIBS_FORMATS_USD_VARIANTS_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/formats/usd/layer.h"

namespace posewire::usd {

class Selections {
 public:
  bool empty() const { return of_.empty(); }
  // Approximate memory.
  size_t bytes() const;

  // Adds the selections in the metadata of a prim at `path` and of those in it; existing ones are
  // stronger.
  void Add(const Prim& prim, const std::string& path);
  // Returns the selections of a prim and of those in it, with the paths of another.
  Selections Moved(const std::string& from, const std::string& to) const;
  // Returns "" if nothing is selected.
  std::string Of(const std::string& path, const std::string& set) const;
  // Equal texts mean equal selections.
  std::string Text() const;

 private:
  std::map<std::string, std::map<std::string, std::string>> of_;  // by path and set
};

// Returns the selection in a prim's own metadata; "" if there is none.
std::string SelectionOf(const Prim& prim, absl::string_view set);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_VARIANTS_H_
