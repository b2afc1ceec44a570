// Built-in rigs for the tests of this room.
#ifndef POSEWIRE_TESTS_UNIT_DIAGRAM_RIGS_H_
#define POSEWIRE_TESTS_UNIT_DIAGRAM_RIGS_H_

#include <memory>
#include <stdexcept>
#include <string>

#include "libs/skel/rig.h"

namespace posewire::diagram {

inline const skel::RigCatalog& Catalog() {
  static const skel::RigCatalog catalog = [] {
    auto made = skel::RigCatalog::Builtin();
    if (!made.ok()) throw std::runtime_error(std::string(made.status().message()));
    return *std::move(made);
  }();
  return catalog;
}

inline std::shared_ptr<const skel::Rig> BuiltinRig(const std::string& name) {
  auto rig = Catalog().Find(name);
  if (!rig.ok()) throw std::runtime_error(std::string(rig.status().message()));
  return *rig;
}

}  // namespace posewire::diagram

#endif  // POSEWIRE_TESTS_UNIT_DIAGRAM_RIGS_H_
