// How clips are read.
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

// The end of a warning about a rate that was assumed.
inline constexpr absl::string_view kChangesRate =
    " (--fps of a2f_source play and animclip convert says another rate)";

// Looser than a server's: a file may hold hours in one message (of up to 512 MiB), name as many
// joints and shapes as an index can count, and has no ids when it was pulled by stream.
wire::ReaderLimits FileLimits();

struct ReadOptions {
  // By which messages are checked.
  wire::ReaderLimits limits = FileLimits();
  // Longest JSON object, and longest stage.
  size_t max_json_bytes = 512u << 20;
  // The rate of a file whose own is missing or wrong: of all frames of a .bvh, and of the frames in
  // Live Link Face's time codes (.csv). Of no effect on others, which warn of it.
  std::optional<timecode::FrameRate> fps = {};
  // Of a stage: the prim whose animation is played, itself or that of what is below; of a glTF
  // file: the animation's name or number; "": the first.
  std::string prim = {};
  // Gives the bytes of a file that a stage names, by its path from the stage's folder. Those of
  // files::ReadNamed for a path opened, unless given; null: stages that name others are refused.
  std::function<absl::StatusOr<std::string>(const std::string& path)> beside = nullptr;
  // Asked while the reader waits for a pipe or for another program; true, and it gives up.
  std::function<bool()> stopped = clip::NeverStop;
};

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_READ_OPTIONS_H_
