#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/names/known_names.h"
#include "libs/skel/builtin_data.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_parser.h"

namespace posewire::skel {

absl::StatusOr<RigCatalog> RigCatalog::Builtin(absl::string_view shapes) {
  const absl::StatusOr<std::vector<std::string>> names = BuiltinShapes(shapes);
  if (!names.ok()) return names.status();
  RigCatalog catalog;
  for (absl::string_view file : {"hanim_loa1.rig", "hanim_loa2.rig", "hanim_loa3.rig",
                                 "hanim_loa4.rig", "ace_biped.rig", "vrm.rig", "hanim_loa0.rig"}) {
    absl::StatusOr<RigParts> parts = ParseRigParts(BuiltinData(file));
    if (!parts.ok()) {
      return absl::InternalError(absl::StrCat(file, ": ", parts.status().message()));
    }
    parts->shapes = *names;
    absl::StatusOr<std::shared_ptr<const Rig>> rig = Rig::Make(*std::move(parts));
    if (!rig.ok()) return absl::InternalError(absl::StrCat(file, ": ", rig.status().message()));
    if (absl::Status s = catalog.Add(*std::move(rig)); !s.ok()) return s;
  }
  return catalog;
}

absl::StatusOr<std::shared_ptr<const Rig>> RigCatalog::Find(absl::string_view name) const {
  for (const std::shared_ptr<const Rig>& rig : rigs_) {
    if (rig->name() == name) return rig;
  }
  return absl::NotFoundError(
      absl::StrCat("there is no rig \"", name, "\"", KnownNames(name, names())));
}

std::vector<std::string> RigCatalog::names() const {
  std::vector<std::string> names;
  names.reserve(rigs_.size());
  for (const std::shared_ptr<const Rig>& rig : rigs_) names.push_back(rig->name());
  return names;
}

absl::Status RigCatalog::Add(std::shared_ptr<const Rig> rig) {
  if (Find(rig->name()).ok()) {
    return absl::AlreadyExistsError(absl::StrCat("rig \"", rig->name(), "\" is already there"));
  }
  rigs_.push_back(std::move(rig));
  return absl::OkStatus();
}

}  // namespace posewire::skel
