#include "libs/clipio/scene_file.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "libs/clipio/format_table.h"
#include "libs/wire/message.h"

namespace posewire::clipio {
namespace {

void AddOnce(std::string text, std::vector<std::string>& to) {
  if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(std::move(text));
}

}  // namespace

absl::StatusOr<LoadedScene> LoadScene(const std::string& path, const OpenOptions& options) {
  absl::StatusOr<asset::Scene> scene = OpenScene(path, options);
  if (!scene.ok()) return scene.status();
  LoadedScene out;
  if (scene->characters.size() < 2) return out;
  for (const std::string& warning : scene->warnings) {
    out.warnings.push_back(absl::StrCat(path, ": ", warning));
  }
  OpenOptions one = options;
  for (size_t i = 0; i < scene->characters.size(); ++i) {
    one.character = i;
    auto reader = OpenClip(path, one);
    if (!reader.ok()) return reader.status();
    asset::SceneClip& clip = out.clips.emplace_back();
    clip.character = scene->characters[i];
    bool voice = false;
    while (true) {
      absl::StatusOr<std::optional<wire::Message>> message = (*reader)->Next();
      if (!message.ok()) return message.status();
      if (!*message) break;
      wire::Chunk& chunk = (*message)->chunk;
      if (auto* header = std::get_if<wire::StreamHeader>(&chunk)) {
        clip.motion.Start(std::move(*header));
      } else if (const auto* data = std::get_if<wire::DataChunk>(&chunk)) {
        clip.motion.Append(*data);
        voice = voice || data->audio;
      }
    }
    for (std::string& warning : (*reader)->warnings()) AddOnce(std::move(warning), out.warnings);
    if (voice) {
      AddOnce(absl::StrCat(path, ": the voice of ", clip.character.name, " is left out"),
              out.warnings);
    }
  }
  out.props = std::move(scene->props);
  return out;
}

bool WritesScenes(Format format) { return RowOf(format).write_scene != nullptr; }

absl::Status WriteScene(const LoadedScene& scene, Format format, asset::PutBytes put) {
  if (!WritesScenes(format)) {
    return absl::InvalidArgumentError("the format does not hold several characters");
  }
  return RowOf(format).write_scene(scene.clips, scene.props, put);
}

}  // namespace posewire::clipio
