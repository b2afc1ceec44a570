// Built-in rigs, and numbers that many tests need.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_HELPERS_H_
#define POSEWIRE_TESTS_UNIT_SKEL_HELPERS_H_

#include <memory>
#include <numbers>

#include "absl/strings/string_view.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

inline constexpr float kDegree = kPi / 180;
inline constexpr float kRootOfHalf = std::numbers::sqrt2_v<float> / 2;

inline const RigCatalog& BuiltinCatalog() {
  static const auto& catalog = *new RigCatalog(*RigCatalog::Builtin());
  return catalog;
}

inline std::shared_ptr<const Rig> BuiltinRig(absl::string_view name = "hanim_loa3") {
  return *BuiltinCatalog().Find(name);
}

}  // namespace posewire::skel

#endif  // POSEWIRE_TESTS_UNIT_SKEL_HELPERS_H_
