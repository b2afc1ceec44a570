#include "absl/strings/str_cat.h"
#include "libs/names/known_names.h"
#include "libs/shapes/builtin_tables.h"
#include "libs/shapes/shape_set.h"

namespace posewire::shapes {
namespace {

// Names that several sets have are those of the first.
constexpr absl::string_view kIds[] = {"arkit", "perfect_sync", "a2f",      "vrm1",
                                      "vrm0",  "unified",      "sranipal", "oculus"};

}  // namespace

const absl::StatusOr<std::vector<ShapeSet>>& BuiltinSets() {
  static const auto sets = []() -> absl::StatusOr<std::vector<ShapeSet>> {
    std::vector<ShapeSet> made;
    for (const absl::string_view id : kIds) {
      auto set = ShapeSet::Parse(id, BuiltinTable(absl::StrCat(id, ".csv")));
      if (!set.ok()) return set.status();
      made.push_back(*std::move(set));
    }
    return made;
  }();
  return sets;
}

std::vector<std::string> BuiltinSetNames() {
  return std::vector<std::string>(std::begin(kIds), std::end(kIds));
}

const ShapeSet* FindSet(absl::string_view id) {
  if (!BuiltinSets().ok()) return nullptr;
  for (const ShapeSet& set : *BuiltinSets()) {
    if (set.id() == id) return &set;
  }
  return nullptr;
}

absl::Status CheckSetName(absl::string_view id) {
  if (FindSet(id) != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("\"", id, "\" is no shape set", KnownNames(id, BuiltinSetNames())));
}

}  // namespace posewire::shapes
