// Options for reading clips.
#ifndef POSEWIRE_LIBS_ASSET_READ_OPTIONS_H_
#define POSEWIRE_LIBS_ASSET_READ_OPTIONS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clip/stop_check.h"
#include "libs/timecode/frame_rate.h"
#include "libs/wire/frame_reader.h"

namespace posewire::asset {

// The end of a warning about an assumed frame rate.
inline constexpr absl::string_view kChangesRate =
    " (--fps of a2f_source play and animclip convert says another rate)";

// Looser than a server's limits: a file may have hours in one message (of up to 512 MiB), as many
// joints and shapes as an index can count, and no ids if it was pulled by stream.
wire::ReaderLimits FileLimits();

struct ReadOptions {
  // Limits that messages are checked against.
  wire::ReaderLimits limits = FileLimits();
  // Maximum size of a JSON object, and of a USD stage.
  size_t max_json_bytes = 512u << 20;
  // Frame rate for files whose own is missing or wrong: that of all frames of a .bvh, and that of
  // the frames in Live Link Face's time codes (.csv). Other formats ignore it and warn.
  std::optional<timecode::FrameRate> fps = {};
  // For a USD stage: the prim whose animation is played, or one that binds a skeleton to one, or a
  // prim above such a skeleton. For a glTF file: the name or number of the animation. "" means the
  // first.
  std::string prim = {};
  // For a USD stage: skeletons that are bound outside a SkelRoot move too.
  bool outside_skel_root = false;
  // Reads this character of the file's scene alone (libs/asset/scene.h): an index in
  // Scene::characters.
  std::optional<size_t> character = {};
  // Returns the bytes of a file that a stage refers to, by its path relative to the stage's folder.
  // If not set, a stage opened by path uses files::ReadNamed. If null, stages that refer to other
  // files are rejected.
  std::function<absl::StatusOr<std::string>(const std::string& path)> sidecar = nullptr;
  // Checked while the reader waits for a pipe or another program. The reader gives up once it
  // returns true.
  std::function<bool()> stopped = clip::NeverStop;
};

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_READ_OPTIONS_H_
