#include "libs/character_file/read_character.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/character/bind.h"
#include "libs/character/body_contact.h"
#include "libs/character_file/builtin.h"
#include "libs/files/read.h"
#include "libs/formats/gltf/character_reader.h"
#include "libs/formats/obj/character_reader.h"
#include "libs/formats/usd/character_reader.h"
#include "libs/formats/usd/usdcat.h"
#include "libs/formats/x3d/character_reader.h"
#include "libs/skel/rig_map.h"

namespace posewire::character_file {
namespace {

// The rig that clips are made for.
constexpr char kStanding[] = "hanim_loa3";

// A clip of one arm does not determine the other one. The other arm hangs on the rig that clips are
// made for, but would be stretched out on a rig whose rest pose is a T.
absl::StatusOr<skel::Pose> AtEase(const std::shared_ptr<const skel::Rig>& rig,
                                  const skel::RigCatalog& rigs) {
  skel::Pose pose;
  const auto known = rigs.Find(rig->name());
  if (rig->name() == kStanding || !known.ok() || *known != rig) return pose;
  auto standing = rigs.Find(kStanding);
  if (!standing.ok()) return standing.status();
  const auto map = skel::RigMap::Make(*standing, rig);
  if (!map.ok()) return pose;
  pose.Resize(rig->joints(), rig->shapes());
  skel::Pose rest((*standing)->joints(), (*standing)->shapes());
  rest.span().CopyFrom((*standing)->rest());
  map->Apply(rest.view(), pose.span());
  return pose;
}

// Adds the parts of a bound character that do not depend on its file format.
absl::Status Finish(const skel::RigCatalog& rigs, character::Character& out) {
  if (absl::Status s = character::Frame(out); !s.ok()) return s;
  auto at_ease = AtEase(out.rig, rigs);
  if (!at_ease.ok()) return at_ease.status();
  out.at_ease = *std::move(at_ease);
  if (const auto standing = rigs.Find(kStanding); standing.ok()) {
    out.contact = character::BodyContact::Make(out, **standing);
  }
  return absl::OkStatus();
}

// Checks the name first, so that a file without its first line is rejected with an error about the
// format that its name announces. Otherwise accepts XML, which no other format read here uses, and
// the first lines of classic X3D and VRML97.
bool IsX3d(absl::string_view bytes, absl::string_view name) {
  for (const absl::string_view ending : {".x3d", ".x3dv", ".wrl", ".x3dj"}) {
    if (absl::EndsWithIgnoreCase(name, ending)) return true;
  }
  if (absl::StartsWith(bytes, "\xEF\xBB\xBF")) bytes.remove_prefix(3);
  for (const absl::string_view start : {"#X3D", "#VRML"}) {
    if (absl::StartsWith(bytes, start)) return true;
  }
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != absl::string_view::npos && bytes[first] == '<';
}

}  // namespace

absl::StatusOr<std::shared_ptr<const character::Character>> ReadCharacter(
    absl::string_view bytes, const std::string& name, const skel::RigCatalog& rigs,
    const ReadOptions& options) {
  auto out = std::make_shared<character::Character>();
  out->name = name;
  absl::Status s;
  if (absl::StartsWith(bytes, "#usda ")) {
    s = usd::ReadCharacter(bytes, rigs, options.limits, options.read_sidecar,
                           {options.one, {options.outside_skel_root}}, *out);
  } else {
    const auto read = absl::EndsWithIgnoreCase(name, ".obj") ? obj::ReadCharacter
                      : IsX3d(bytes, name)                   ? x3d::ReadCharacter
                                                             : gltf::ReadCharacter;
    s = read(bytes, rigs, options.limits, options.read_sidecar, *out);
  }
  if (s.ok()) s = Finish(rigs, *out);
  if (s.ok()) return out;
  return absl::Status(s.code(), absl::StrCat(name, ": ", s.message()));
}

std::string OneOf(const std::string& file, absl::string_view name) {
  return usd::IsStageName(file) ? absl::StrCat(file, "#", name) : file;
}

absl::StatusOr<std::string> ReadFile(const std::string& path, const character::Limits& limits) {
  absl::StatusOr<std::string> bytes = files::ReadWhole(path, limits.bytes);
  if (!bytes.ok() || !usd::IsStageName(path) || !usd::IsBinaryStage(*bytes)) return bytes;
  bytes = usd::ReadBinaryStage(path, limits.bytes);
  if (bytes.ok()) return bytes;
  return absl::Status(bytes.status().code(), absl::StrCat(path, ": ", bytes.status().message()));
}

absl::StatusOr<std::shared_ptr<const character::Character>> OpenCharacter(
    const std::string& which, const skel::RigCatalog& rigs, const ReadOptions& options) {
  const bool builtin = which.empty() || which == "woman" || which == "man";
  if (builtin) {
    const std::string name = which.empty() ? "woman" : which;
    const absl::string_view bytes = BuiltinFile(name);
    if (bytes.empty()) return PlainFigure(rigs);
    return ReadCharacter(bytes, name, rigs);
  }
  ReadOptions own = options;
  std::string file = which;
  for (size_t at = which.find('#'); at != std::string::npos; at = which.find('#', at + 1)) {
    if (!usd::IsStageName(which.substr(0, at))) continue;
    file = which.substr(0, at);
    own.one = which.substr(at + 1);
    break;
  }
  const absl::StatusOr<std::string> bytes = ReadFile(file, options.limits);
  if (!bytes.ok()) return bytes.status();
  own.read_sidecar = [&](const std::string& name) {
    return files::ReadNamed(file, name, options.limits.bytes);
  };
  return ReadCharacter(*bytes, file, rigs, own);
}

}  // namespace posewire::character_file
