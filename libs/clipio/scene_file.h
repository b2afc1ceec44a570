// Scenes in memory: read from a file, and written.
#ifndef POSEWIRE_LIBS_CLIPIO_SCENE_FILE_H_
#define POSEWIRE_LIBS_CLIPIO_SCENE_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/asset/motion.h"
#include "libs/asset/scene.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/open_clip.h"
#include "libs/clipio/whole_clip.h"

namespace posewire::clipio {

struct LoadedScene {
  std::vector<asset::SceneClip> clips;  // the lead first
  std::vector<Voice> voices;            // of the clips
  std::vector<asset::SceneProp> props;
  // Of the file and its clips, each once.
  std::vector<std::string> warnings;
};

// Returns a file with all characters, props and the camera. No clips: the file has fewer than two
// characters, so it is a clip. Errors: those of OpenScene and ClipReader.
absl::StatusOr<LoadedScene> LoadScene(const std::string& path, const OpenOptions& options = {});

// Returns true if files of this format can hold several characters, and are written.
bool WritesScenes(Format format);
// Writes a scene. Voices are those that the clips name (Motion::voice). Errors: those of the
// format's writer.
absl::Status WriteScene(const LoadedScene& scene, Format format, asset::PutBytes put);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_SCENE_FILE_H_
