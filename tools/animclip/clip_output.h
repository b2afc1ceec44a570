// Writes a clip file beside its final place and moves it there when it is whole.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_OUTPUT_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_OUTPUT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::animclip {

class ClipOutput {
 public:
  // The format is that of the path's ending (clip_format.h). INVALID_ARGUMENT for another;
  // errors name the path.
  static absl::StatusOr<ClipOutput> Create(const std::string& path);
  // Removes what was written unless Finish succeeded.
  ~ClipOutput();
  ClipOutput(ClipOutput&&) noexcept;
  ClipOutput& operator=(ClipOutput&&) noexcept;

  // One serialized AnimationDataStream.
  absl::Status Write(absl::string_view bytes);
  // Puts the file in place.
  absl::Status Finish();

 private:
  struct Impl;
  explicit ClipOutput(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_OUTPUT_H_
