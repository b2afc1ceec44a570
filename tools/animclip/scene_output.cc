#include "tools/animclip/scene_output.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/character/prop_shapes.h"
#include "libs/clipio/clip_format.h"
#include "libs/files/file.h"
#include "libs/formats/gltf/character_writer.h"
#include "libs/formats/usd/character_writer.h"
#include "tools/animclip/clip_output.h"
#include "tools/animclip/whole_file.h"

namespace posewire::animclip {
namespace {

using character::SceneMember;

// A part of a file's name.
std::string FilePart(std::string name) {
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  }
  return name;
}

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

absl::StatusOr<std::optional<asset::VoiceFile>> VoiceFiles::Add(const clipio::Voice& voice,
                                                                const std::string& of) {
  if (voice.samples.empty()) return std::nullopt;
  const std::string path = absl::StrCat(out_.substr(0, clipio::StemLength(out_)),
                                        of.empty() ? "" : ".", FilePart(of), ".wav");
  const absl::StatusOr<std::string> wav = clipio::WavOf(voice);
  if (!wav.ok()) return wav.status();
  auto part = PartFile::Of(path, PartFile::kBehind, console_.parts);
  if (!part.ok()) return part.status();
  files_.emplace_back(path, *std::move(part));
  auto file = files::File::Open(files_.back().second.path(), files::File::Mode::kReplace);
  if (!file.ok()) return file.status();
  absl::Status s = (*file)->Write(*wav);
  s.Update((*file)->Close());
  if (!s.ok()) return s;
  return asset::VoiceFile{NameOf(path), voice.start_s, voice.end_s()};
}

absl::Status VoiceFiles::Finish(bool overwrite) {
  for (const auto& [path, part] : files_) {
    if (overwrite) break;
    if (absl::Status s = CheckSidecar(path, part.path(), /*has_flag=*/true); !s.ok()) return s;
  }
  for (auto& [path, part] : files_) {
    if (absl::Status s = part.MoveToPlace(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::StatusOr<WrittenScene> WriteSceneFile(const SceneToWrite& scene, const std::string& out,
                                            const SceneFileOptions& options,
                                            const Console& console) {
  const auto ends = [&](absl::string_view ending) { return absl::EndsWithIgnoreCase(out, ending); };
  const bool usd = ends(".usda");
  VoiceFiles sounds(out, console);
  std::vector<asset::VoiceFile> voices(scene.members.size());
  std::vector<SceneMember> members;
  std::vector<clipio::Voice> all;
  const bool several = std::count_if(scene.members.begin(), scene.members.end(),
                                     [](const auto& member) { return !member.prop; }) > 1;
  for (size_t i = 0; i < scene.members.size(); ++i) {
    const SceneToWrite::Member& from = scene.members[i];
    SceneMember& to = members.emplace_back();
    to.name = from.name;
    to.character = from.character.get();
    to.motion = from.motion ? &*from.motion : nullptr;
    to.place = from.place;
    to.prop = from.prop ? &*from.prop : nullptr;
    if (i == 0 && scene.camera) to.camera = &*scene.camera;
    all.push_back(from.voice);
    if (!usd) continue;
    const auto voice = sounds.Add(from.voice, several ? from.name : "");
    if (!voice.ok()) return voice.status();
    if (!*voice) continue;
    voices[i] = **voice;
    to.voice = &voices[i];
  }
  WrittenScene written;
  if (ends(".glb") || ends(".gltf")) {
    if (const auto voice = sounds.Add(clipio::Mixed(all), ""); !voice.ok()) return voice.status();
  }
  written.voices = sounds.size();
  const std::string stem = std::filesystem::path(out).stem().string();
  std::string bytes;
  std::vector<std::pair<std::string, std::string>> pictures;
  if (usd) {
    auto stage = usd::WriteScene(members, stem, scene.rate_hz);
    if (!stage.ok()) return stage.status();
    bytes = std::move(stage->usda);
    pictures = std::move(stage->pictures);
  } else if (ends(".x3d")) {
    auto x3d = x3d::WriteScene(members, stem, options.x3d);
    if (!x3d.ok()) return x3d.status();
    bytes = std::move(x3d->xml);
    pictures = std::move(x3d->pictures);
  } else {
    auto glb = gltf::WriteScene(members, {.influences = kGltfInfluences, .as_json = ends(".gltf")});
    if (!glb.ok()) return glb.status();
    bytes = *std::move(glb);
  }
  if (absl::Status s = sounds.Finish(options.overwrite); !s.ok()) return s;
  const std::filesystem::path folder = std::filesystem::path(out).parent_path();
  for (const auto& [name, png] : pictures) {
    if (absl::Status s = WriteWhole((folder / name).string(), png, console.parts); !s.ok())
      return s;
  }
  written.pictures = pictures.size();
  if (absl::Status s = WriteWhole(out, bytes, console.parts); !s.ok()) return s;
  return written;
}

std::vector<std::string> AddProps(const std::vector<asset::SceneProp>& props,
                                  const std::vector<character::Character>& models,
                                  const prop_file::PropFolder* folder, SceneToWrite& to) {
  std::vector<std::string> faults;
  for (size_t p = 0; p < props.size(); ++p) {
    const asset::SceneProp& prop = props[p];
    character::PropShape shape = {prop.shape, {}, {}, prop.size};
    if (folder != nullptr && folder->has(prop.shape)) {
      auto model = folder->Load(prop.shape);
      if (model.ok()) shape.model = *std::move(model);
      if (!model.ok()) faults.emplace_back(model.status().message());
    }
    const bool own = p < models.size() && !models[p].meshes.empty();
    const auto character =
        std::make_shared<character::Character>(own ? models[p] : character::AsCharacter(shape));
    const asset::RigidPlace& at = prop.places[0];
    to.members.push_back({.name = prop.name,
                          .character = character,
                          .place = {at.at, at.turn, {1, 1, 1}},
                          .prop = prop});
  }
  return faults;
}

skel::Trs TrsOf(const asset::GroundPlace& place) {
  return skel::Decompose(skel::Inverse(asset::Into(place)).value_or(skel::Affine{}));
}

}  // namespace posewire::animclip
