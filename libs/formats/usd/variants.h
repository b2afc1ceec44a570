// Which variants of prims are chosen.
//
// A selection counts for a prim by its path, and stronger files choose for what they refer to: so
// selections go along with a reference, told by the paths of what is referred to.
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
  // Memory, about.
  size_t bytes() const;

  // What a prim at `path`, and those in it, say in their metadata; what is here is stronger.
  void Add(const Prim& prim, const std::string& path);
  // Those of a prim and of what is in it, told by the paths of another.
  Selections Moved(const std::string& from, const std::string& to) const;
  // "" where nothing is chosen.
  std::string Of(const std::string& path, const std::string& set) const;
  // Equal texts: equal selections.
  std::string Text() const;

 private:
  std::map<std::string, std::map<std::string, std::string>> of_;  // by path and set
};

// Of a prim's own metadata; "" where it chooses none.
std::string SelectionOf(const Prim& prim, absl::string_view set);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_VARIANTS_H_
