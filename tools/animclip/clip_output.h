// Writes a clip file, and what belongs to it such as its voice, beside its final place and moves
// all there when it is whole.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_OUTPUT_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_OUTPUT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/animclip/part_files.h"

namespace posewire::animclip {

struct OutputOptions {
  bool overwrite = false;  // a voice or a rig that is there
  bool split_usd = false;  // a stage as three (libs/formats/usd/usda.h)
};

class ClipOutput {
 public:
  // The format is that of the path's ending (clip_format.h). INVALID_ARGUMENT for another;
  // errors name the path. Of a stage, the voice is written as a WAV of the same name.
  static absl::StatusOr<ClipOutput> Create(const std::string& path,
                                           std::shared_ptr<PartFiles> parts,
                                           const OutputOptions& options = {});
  // Removes what was written unless Finish succeeded.
  ~ClipOutput();
  ClipOutput(ClipOutput&&) noexcept;
  ClipOutput& operator=(ClipOutput&&) noexcept;

  // One serialized AnimationDataStream.
  absl::Status Write(absl::string_view bytes);
  // Puts the files in place. ALREADY_EXISTS: a WAV or a rig of that name is there, and is another.
  absl::Status Finish();
  // The files that belong to it.
  std::vector<std::string> beside() const;

 private:
  struct Impl;
  explicit ClipOutput(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_OUTPUT_H_
