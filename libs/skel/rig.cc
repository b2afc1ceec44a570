#include "libs/skel/rig.h"

#include <cmath>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/skel/naming.h"
#include "libs/skel/rig_limits.h"
#include "libs/skel/rig_parser.h"

namespace posewire::skel {
namespace {

absl::Status CheckLength(absl::string_view field, size_t length, size_t joints, bool may_be_empty) {
  if (length == joints || (may_be_empty && length == 0)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(field, " has ", length, " entries, expected ",
                                                 joints, ", one a joint",
                                                 may_be_empty ? ", or none" : ""));
}

absl::Status CheckSizes(const RigParts& parts) {
  const size_t joints = parts.joint_paths.size();
  if (joints > kMostJoints) {
    return absl::InvalidArgumentError(
        absl::StrCat("a rig has at most ", kMostJoints, " joints, not ", joints));
  }
  if (parts.shapes.size() > kMostShapes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a rig has at most ", kMostShapes, " shapes, not ", parts.shapes.size()));
  }
  for (absl::Status s :
       {CheckLength("rest_translations", parts.rest_translations.size(), joints, false),
        CheckLength("rest_rotations", parts.rest_rotations.size(), joints, true),
        CheckLength("joint_aliases", parts.joint_aliases.size(), joints, true),
        CheckLength("limits", parts.limits.size(), joints, true),
        CheckLength("stiffness", parts.stiffness.size(), joints, true),
        CheckLength("bones", parts.bones.size(), joints, true)}) {
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckNames(const RigParts& parts) {
  absl::flat_hash_set<absl::string_view> paths;
  for (size_t i = 0; i < parts.joint_paths.size(); ++i) {
    const absl::string_view path = parts.joint_paths[i];
    if (LastPathElement(path).empty()) {
      return absl::InvalidArgumentError(absl::StrCat("joint ", i, " \"", path, "\" has no name"));
    }
    if (!paths.insert(path).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "joint ", i, " \"", path, "\": another joint has that path, and paths must be unlike"));
    }
  }
  absl::flat_hash_set<std::string> shapes;
  for (size_t i = 0; i < parts.shapes.size(); ++i) {
    if (parts.shapes[i].empty()) {
      return absl::InvalidArgumentError(absl::StrCat("shape ", i, " has no name"));
    }
    if (!shapes.insert(absl::AsciiStrToLower(parts.shapes[i])).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape ", i, " \"", parts.shapes[i],
                       "\": another shape has that name, and names must be unlike, ignoring case"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckTopology(const RigParts& parts, const Topology& topology) {
  for (int i = 0; i < topology.size(); ++i) {
    const int parent = topology.parent(i);
    if (parent < i) continue;
    const auto at = [&](int j) { return parts.joint_paths[static_cast<size_t>(j)]; };
    return absl::InvalidArgumentError(absl::StrCat("joint ", i, " \"", at(i),
                                                   "\" stands before its parent ", parent, " \"",
                                                   at(parent), "\": parents come first"));
  }
  return absl::OkStatus();
}

bool Finite(Vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

bool IsShare(float v) { return v >= 0 && v <= 1; }

absl::Status CheckStiffness(const RigParts& parts) {
  for (size_t i = 0; i < parts.stiffness.size(); ++i) {
    const Vec3 s = parts.stiffness[i];
    if (IsShare(s.x) && IsShare(s.y) && IsShare(s.z)) continue;
    return absl::InvalidArgumentError(absl::StrCat("stiffness ", i, " of joint \"",
                                                   parts.joint_paths[i], "\" is ", s.x, " ", s.y,
                                                   " ", s.z, ": each must be within 0 and 1"));
  }
  return absl::OkStatus();
}

absl::Status CheckValues(const RigParts& parts) {
  if (absl::Status s = CheckStiffness(parts); !s.ok()) return s;
  for (size_t i = 0; i < parts.joint_paths.size(); ++i) {
    if (!Finite(parts.rest_translations[i])) {
      return absl::InvalidArgumentError(absl::StrCat("rest translation ", i, " is not finite"));
    }
    if (parts.rest_rotations.empty()) continue;
    const Quat q = parts.rest_rotations[i];
    if (!(std::fabs(Dot(q, q) - 1) < 1e-3f)) {
      return absl::InvalidArgumentError(
          absl::StrCat("rest rotation ", i, " is not of unit length"));
    }
  }
  for (size_t i = 0; i < parts.sites.size(); ++i) {
    const Site& site = parts.sites[i];
    if (site.joint < 0 || site.joint >= static_cast<int>(parts.joint_paths.size())) {
      return absl::InvalidArgumentError(absl::StrCat("site ", i, " \"", site.name,
                                                     "\" hangs on joint ", site.joint,
                                                     ", which does not exist"));
    }
    if (site.rotation && !(std::fabs(Dot(*site.rotation, *site.rotation) - 1) < 1e-3f)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the rotation of site ", i, " \"", site.name, "\" is not of unit length"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Rig>> Rig::Make(RigParts parts) {
  if (absl::Status s = CheckSizes(parts); !s.ok()) return s;
  if (absl::Status s = CheckNames(parts); !s.ok()) return s;
  const Topology topology = Topology::FromPaths(parts.joint_paths);
  if (absl::Status s = CheckTopology(parts, topology); !s.ok()) return s;
  if (absl::Status s = CheckValues(parts); !s.ok()) return s;
  const auto& conventions = BuiltinNamings();
  if (!conventions.ok()) return conventions.status();
  return std::shared_ptr<const Rig>(new Rig(std::move(parts), *conventions));
}

absl::StatusOr<std::shared_ptr<const Rig>> Rig::Parse(absl::string_view text) {
  absl::StatusOr<RigParts> parts = ParseRigParts(text);
  if (!parts.ok()) return parts.status();
  return Make(*std::move(parts));
}

Rig::Rig(RigParts parts, absl::Span<const NamingConvention> conventions)
    : parts_(std::move(parts)),
      topology_(Topology::FromPaths(parts_.joint_paths)),
      rest_(joints(), shapes()) {
  for (const std::string& path : parts_.joint_paths) joint_by_path_.Add(path);
  joint_names_.reserve(parts_.joint_paths.size());
  for (int j = 0; j < joints(); ++j) {
    const auto at = static_cast<size_t>(j);
    joint_names_.emplace_back(joint_by_path_.ShortestName(j));
    rest_.span().SetTranslation(j, parts_.rest_translations[at]);
    rest_.span().SetRotation(j, parts_.rest_rotations.empty() ? Quat{} : parts_.rest_rotations[at]);
    rest_.span().SetScale(j, {1, 1, 1});
  }
  for (size_t j = 0; j < parts_.joint_aliases.size(); ++j) {
    if (!parts_.joint_aliases[j].empty()) {
      joint_by_alias_.emplace(parts_.joint_aliases[j], static_cast<int>(j));
    }
  }
  for (int s = 0; s < shapes(); ++s) {
    shape_by_name_[absl::AsciiStrToLower(parts_.shapes[static_cast<size_t>(s)])] = s;
    rest_.span().SetWeight(s, 0);
  }
  humanoid_ =
      parts_.bones.empty() ? Humanoid(*this, conventions) : Humanoid(topology_, parts_.bones);
}

PathIndex::Match Rig::MatchJoint(absl::string_view path) const {
  const PathIndex::Match match = joint_by_path_.Find(path);
  // A joint's own name takes precedence over another's alias.
  if (match.index >= 0 || match.several) return match;
  const auto it = joint_by_alias_.find(LastPathElement(path));
  if (it != joint_by_alias_.end()) return {it->second, 0, false};
  return match;
}

int Rig::FindShape(absl::string_view name) const {
  const auto it = shape_by_name_.find(absl::AsciiStrToLower(name));
  return it == shape_by_name_.end() ? -1 : it->second;
}

}  // namespace posewire::skel
