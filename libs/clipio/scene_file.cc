#include "libs/clipio/scene_file.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/clipio/format_table.h"
#include "libs/clipio/whole_clip.h"

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
    auto clip = LoadWholeClip(path, one);
    if (!clip.ok()) return clip.status();
    out.clips.push_back({scene->characters[i], std::move(clip->motion)});
    out.voices.push_back(std::move(clip->voice));
    for (std::string& warning : clip->warnings) AddOnce(std::move(warning), out.warnings);
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
