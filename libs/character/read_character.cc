#include "libs/character/read_character.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/character/bind.h"
#include "libs/character/body_contact.h"
#include "libs/character/builtin.h"
#include "libs/character/extras.h"
#include "libs/character/gltf_reader.h"
#include "libs/character/stage_reader.h"
#include "libs/character/x3d_reader.h"
#include "libs/files/read.h"
#include "libs/formats/usd/compose.h"
#include "libs/formats/usd/usdcat.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/skel/rig_map.h"

namespace posewire::character {
namespace {

// The rig that clips are made on.
constexpr char kStanding[] = "hanim_loa3";

// A clip of one arm says nothing of the other, which hangs on the rig that clips are made on, and
// stands out on a rig whose rest is a T.
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

// By its name, so that one without a first line is refused as what it should be; else XML, which
// no other format is that is read here, or the classic form of X3D and VRML97.
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

absl::StatusOr<std::shared_ptr<const Character>> ReadCharacter(absl::string_view bytes,
                                                               const std::string& name,
                                                               const skel::RigCatalog& rigs,
                                                               const Limits& limits,
                                                               const gltf::ReadBeside& beside) {
  using Out = absl::StatusOr<std::shared_ptr<const Character>>;
  // Of a character that is bound.
  const auto finish = [&](std::shared_ptr<Character> out) -> Out {
    if (absl::Status s = Frame(*out); !s.ok()) return s;
    auto at_ease = AtEase(out->rig, rigs);
    if (!at_ease.ok()) return at_ease.status();
    out->at_ease = *std::move(at_ease);
    if (const auto standing = rigs.Find(kStanding); standing.ok()) {
      out->contact = BodyContact::Make(*out, **standing);
    }
    return out;
  };
  const auto read_stage = [&]() -> Out {
    absl::StatusOr<usd::Layer> layer = usd::Compose(bytes, beside, {.bytes = limits.bytes});
    if (!layer.ok()) return layer.status();
    const usd::Stage stage(*std::move(layer));
    auto out = std::make_shared<Character>();
    out->name = name;
    OwnRig own;
    if (absl::Status s = ReadStage(stage, limits, beside, *out, own); !s.ok()) return s;
    if (absl::Status s = Bind(own, rigs, *out); !s.ok()) return s;
    return finish(std::move(out));
  };
  const auto read_x3d = [&]() -> Out {
    x3d::Limits most;
    most.bytes = std::min<uint64_t>(most.bytes, limits.bytes);
    const absl::StatusOr<x3d::Scene> scene = x3d::ReadScene(bytes, most);
    if (!scene.ok()) return scene.status();
    const auto standard = rigs.Find("hanim_loa4");
    if (!standard.ok()) return standard.status();
    auto out = std::make_shared<Character>();
    out->name = name;
    OwnRig own;
    if (absl::Status s = ReadX3dCharacter(*scene, **standard, limits, beside, *out, own); !s.ok())
      return s;
    if (absl::Status s = Bind(own, rigs, *out); !s.ok()) return s;
    return finish(std::move(out));
  };
  const auto read = [&]() -> Out {
    auto document = gltf::Document::Parse(bytes, limits, beside);
    if (!document.ok()) return document.status();
    auto out = std::make_shared<Character>();
    out->name = name;
    std::vector<MeshOrigin> origins;
    const std::vector<Inbetween> inbetweens = ReadInbetweens(**document);
    if (absl::Status s = ReadScene(**document, limits, inbetweens, *out, origins); !s.ok())
      return s;
    if (absl::Status s = Bind(**document, rigs, origins, *out); !s.ok()) return s;
    if (absl::Status s = ReadExtras(**document, *out); !s.ok()) return s;
    ReadSprings(**document, *out);
    if (!(*document)->status().ok()) return (*document)->status();
    return finish(std::move(out));
  };
  auto out = absl::StartsWith(bytes, "#usda ") ? read_stage()
             : IsX3d(bytes, name)              ? read_x3d()
                                               : read();
  if (out.ok()) return out;
  return absl::Status(out.status().code(), absl::StrCat(name, ": ", out.status().message()));
}

absl::StatusOr<std::shared_ptr<const Character>> OpenCharacter(const std::string& which,
                                                               const skel::RigCatalog& rigs) {
  const bool builtin = which.empty() || which == "woman" || which == "man";
  if (builtin) {
    const std::string name = which.empty() ? "woman" : which;
    const absl::string_view bytes = BuiltinFile(name);
    if (bytes.empty()) return PlainFigure(rigs);
    return ReadCharacter(bytes, name, rigs);
  }
  const Limits limits;
  absl::StatusOr<std::string> bytes = files::ReadWhole(which, limits.bytes);
  if (!bytes.ok()) return bytes.status();
  if (usd::IsStageName(which) && usd::IsBinaryStage(*bytes)) {
    bytes = usd::ReadBinaryStage(which, limits.bytes);
    if (!bytes.ok()) {
      return absl::Status(bytes.status().code(),
                          absl::StrCat(which, ": ", bytes.status().message()));
    }
  }
  return ReadCharacter(*bytes, which, rigs, limits, [&](const std::string& name) {
    return files::ReadNamed(which, name, limits.bytes);
  });
}

}  // namespace posewire::character
