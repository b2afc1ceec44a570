#include "services/renderer_sink/view/character_files.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/character_file/builtin.h"
#include "libs/character_file/read_character.h"
#include "libs/files/read.h"
#include "libs/formats/gltf/character_writer.h"
#include "libs/formats/gltf/document.h"
#include "libs/skel/rig.h"
#include "libs/wire/appearance.h"

namespace posewire::renderer_sink {
namespace {

constexpr int kPageInfluences = 8;
constexpr char kStandardRig[] = "hanim_loa3";
// Maximum size of an avatar's file, which is kept in memory while the server runs.
constexpr uint64_t kMostAvatar_bytes = 512 << 20;

// A GLB is the word glTF, its version, its length, and then the length, kind and text of its JSON.
constexpr size_t kGlbHead_bytes = 20;

uint32_t NumberAt(absl::string_view glb, size_t at) {
  uint32_t number = 0;
  std::memcpy(&number, glb.data() + at, sizeof(number));
  return number;
}

// Returns a glTF combined with the files next to it.
absl::StatusOr<std::string> Packed(const std::string& bytes, const std::string& path) {
  const auto read_sidecar = [&](const std::string& name) {
    return files::ReadNamed(path, name, kMostAvatar_bytes);
  };
  auto document = gltf::Document::Parse(bytes, gltf::Limits(), read_sidecar);
  absl::StatusOr<std::string> glb =
      document.ok() ? (*document)->ToGlb() : absl::StatusOr<std::string>(document.status());
  if (glb.ok()) return glb;
  return absl::Status(glb.status().code(), absl::StrCat(path, ": ", glb.status().message()));
}

absl::StatusOr<std::string> ReadAvatar(const std::string& path) {
  absl::StatusOr<std::string> read = files::ReadWhole(path, kMostAvatar_bytes);
  if (!read.ok()) return read;
  const std::string& bytes = *read;
  const uint64_t size = bytes.size();
  if (absl::EndsWithIgnoreCase(path, ".gltf")) return Packed(bytes, path);
  if (!absl::StartsWith(bytes, "glTF") || size < kGlbHead_bytes || NumberAt(bytes, 4) != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is no binary glTF 2: it must be a .glb, .vrm, .gltf, .usda or .x3d"));
  }
  const uint64_t json_end = uint64_t{kGlbHead_bytes} + NumberAt(bytes, 12);
  const uint64_t wanted = std::max<uint64_t>(NumberAt(bytes, 8), json_end);
  if (size < wanted) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is cut short: it has ", size, " of ", wanted, " bytes"));
  }
  return read;
}

// Returns true for USD stages and X3D files, which browsers cannot read.
bool IsForeign(const std::string& path) {
  for (const char* ending : {".usda", ".usd", ".usdc", ".usdz", ".x3d", ".x3dv"}) {
    if (absl::EndsWithIgnoreCase(path, ending)) return true;
    if (absl::StrContains(absl::AsciiStrToLower(path), absl::StrCat(ending, "#"))) return true;
  }
  return false;
}

// Returns a GLB, and the rig that moves it.
absl::StatusOr<std::pair<std::string, std::string>> Converted(const character::Character& who,
                                                              const skel::RigCatalog& rigs) {
  absl::StatusOr<std::string> glb =
      gltf::WriteCharacter(who, nullptr, {.influences = kPageInfluences});
  if (!glb.ok()) return glb.status();
  const bool same = who.same_joints && rigs.Find(who.rig->name()).ok();
  return std::pair(*std::move(glb), same ? who.rig->name() : std::string("vrm"));
}

absl::string_view JsonOf(absl::string_view glb) {
  return glb.substr(kGlbHead_bytes, NumberAt(glb, 12));
}

// A file whose skeleton is ours moves by the standard rig; all other humanoids by VRM's, whose rest
// is the T-pose that they are modelled in.
std::string RigFor(absl::string_view glb) {
  return absl::StrContains(JsonOf(glb), "\"skullbase\"") ? kStandardRig : "vrm";
}

// Whether points may move after the skin, which the page's own skinning leaves out.
bool MayHaveDeformers(absl::string_view glb) {
  return absl::StrContains(JsonOf(glb), "\"deformers\"");
}

}  // namespace

absl::Status CharacterFiles::Load(const CharacterFilesOptions& options,
                                  const service::Logger& log) {
  avatars_ = options.avatars;
  const std::vector<OffsetsAt>& offsets = options.offsets;
  for (const std::string& who : avatars_.All()) {
    if (Find(who) != nullptr) continue;
    if (absl::Status s = Add(who, options, log); !s.ok()) return s;
  }
  const auto has = [](const Entry& one) {
    const CharacterOffsets* offsets = one.shown.offsets.get();
    return offsets != nullptr &&
           (!offsets->files.clips.empty() || offsets->files.shapes != nullptr);
  };
  if (offsets.empty() || std::any_of(entries_.begin(), entries_.end(), has)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(ShownPlace(offsets.front().name),
                   ": was made of no character that is shown (--avatar); animclip "
                   "bake --character FILE makes offsets of a character"));
}

absl::Status CharacterFiles::Add(const std::string& who, const CharacterFilesOptions& options,
                                 const service::Logger& log) {
  const std::string name = who.empty() ? "woman" : who;  // the default
  const bool builtin = name == "woman" || name == "man", foreign = !builtin && IsForeign(name);
  ViewCharacter shown;
  std::string own_rig;
  absl::StatusOr<std::string> file;
  std::shared_ptr<const character::Character> character;
  const auto rigs = skel::RigCatalog::Builtin("arkit68");
  if (!rigs.ok()) return rigs.status();
  if (!foreign) {
    file = builtin ? std::string(character_file::BuiltinFile(name)) : ReadAvatar(name);
    if (!file.ok()) return file.status();
  }
  const bool deformed = file.ok() && !builtin && !file->empty() && MayHaveDeformers(*file);
  const bool needed = foreign || options.subdivide || !options.offsets.empty();
  if (needed || deformed) {
    const auto read = character_file::OpenCharacter(
        name, *rigs, {.outside_skel_root = options.outside_skel_root});
    if (!read.ok() && needed) return read.status();
    if (read.ok()) {
      character = *read;
    } else {
      log.Warning("lattices and smoothing of the avatar are left out",
                  {{"avatar", name}, {"why", read.status().message()}});
    }
  }
  if (foreign) {
    auto converted = Converted(*character, *rigs);
    if (!converted.ok()) return converted.status();
    file = std::move(converted->first);
    own_rig = std::move(converted->second);
  }
  if (!file.ok()) return file.status();
  const int first_node = foreign ? static_cast<int>(character->nodes.size()) + 1 : -1;
  if (character != nullptr && (!options.offsets.empty() || !character->after_skin.empty())) {
    auto own = OffsetsFor(character, options.offsets, first_node);
    if (!own.ok()) return own.status();
    shown.offsets = *std::move(own);
    if (shown.offsets == nullptr && !character->after_skin.empty()) {
      log.Warning(
          "the page shows the avatar without lattices and smoothing: it has too many points",
          {{"avatar", name}, {"points", character->points()}});
    }
  }
  shown.name = std::filesystem::path(name).filename().string();
  if (own_rig.empty()) own_rig = builtin ? kStandardRig : RigFor(*file);
  shown.rig = !options.rig.empty() ? options.rig : own_rig;
  if (!file->empty()) shown.url = absl::StrCat("/characters/", entries_.size(), ".glb");
  std::shared_ptr<SurfaceFiles> surfaces;
  if (options.subdivide && !shown.url.empty()) {
    surfaces = std::make_shared<SurfaceFiles>(std::move(character), first_node, log);
    if (surfaces->Of({}).ok()) {
      shown.surface_url = absl::StrCat("/characters/", entries_.size(), ".surface");
    }
  }
  entries_.push_back({name, *std::move(file), std::move(shown), std::move(surfaces)});
  return absl::OkStatus();
}

const CharacterFiles::Entry* CharacterFiles::Find(const std::string& who) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) {
    return one.who == (who.empty() ? "woman" : who);
  });
  return entry == entries_.end() ? nullptr : &*entry;
}

const ViewCharacter& CharacterFiles::Of(const wire::StreamIds& ids) const {
  return Find(avatars_.Of(ids.stream_id, ids.target_object_id))->shown;
}

std::optional<ViewCharacter> CharacterFiles::Named(const std::string& character) const {
  const std::optional<std::string> who = avatars_.Named(character);
  if (!who) return std::nullopt;
  return Find(*who)->shown;
}

void CharacterFiles::AddRoutes(const service::HttpFields& headers, const Post& post,
                               std::vector<service::HttpRoute>& routes) const {
  for (const Entry& entry : entries_) {
    if (entry.shown.url.empty()) continue;
    routes.push_back(
        {"GET", entry.shown.url, service::Fixed("model/gltf-binary", entry.file, headers)});
    if (entry.shown.surface_url.empty()) continue;
    service::HttpFields deflated = headers;
    deflated.emplace_back("Content-Encoding", "deflate");
    routes.push_back(
        {"GET", entry.shown.surface_url,
         [surfaces = entry.surfaces, headers = std::move(deflated), post](
             const service::HttpRequest& request, const service::HttpReplier& reply) {
           const auto look = wire::ParseLook(request.Query("look"));
           if (!look.ok()) return reply(service::HttpReply::Error(look.status()));
           const bool taken = post([surfaces, headers, look = *look, reply] {
             const auto file = surfaces->Of(look);
             if (!file.ok()) return reply(service::HttpReply::Error(file.status()));
             reply({.content_type = "application/octet-stream", .body = *file, .headers = headers});
           });
           if (!taken) reply(service::HttpReply::Error(503, "too many downloads"));
         }});
  }
}

}  // namespace posewire::renderer_sink
