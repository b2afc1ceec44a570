// Writes a clip file, and its sidecar files such as its voice, next to their final places and moves
// them there when they are complete.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_OUTPUT_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_OUTPUT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/animclip/part_files.h"

namespace posewire::animclip {

// Range of OutputOptions::value_clips_s.
inline constexpr double kLeastValueClip_s = 0.01, kMostValueClip_s = 1e6;

struct OutputOptions {
  // Replace an existing voice or rig. Empty: no, and the command has no flag for it.
  std::optional<bool> overwrite = {};
  bool split_usd = false;    // write a USD stage as three files (libs/formats/usd/usda.h)
  double value_clips_s = 0;  // write its animation as value clips of this length; 0: do not
};

// Returns ALREADY_EXISTS if there is a different WAV or rig at the place of a sidecar file that is
// written at `part`: it may be the user's work. All other files belong to the clip. `has_flag`: the
// command has --overwrite.
absl::Status CheckSidecar(const std::string& file, const std::string& part, bool has_flag);

class ClipOutput {
 public:
  // The format is that of the path's extension (clip_format.h). INVALID_ARGUMENT for another;
  // errors name the path. For a USD stage, the voice is written as a WAV of the same name.
  static absl::StatusOr<ClipOutput> Create(const std::string& path,
                                           std::shared_ptr<PartFiles> parts,
                                           const OutputOptions& options = {});
  // Removes the written files unless Finish succeeded.
  ~ClipOutput();
  ClipOutput(ClipOutput&&) noexcept;
  ClipOutput& operator=(ClipOutput&&) noexcept;

  // Writes one serialized AnimationDataStream.
  absl::Status Write(absl::string_view bytes);
  // Moves the files to their places. ALREADY_EXISTS: there is a different WAV or rig of that name.
  absl::Status Finish();
  // The sidecar files.
  std::vector<std::string> sidecars() const;

 private:
  struct Impl;
  explicit ClipOutput(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_OUTPUT_H_
