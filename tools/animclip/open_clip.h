// Opens the clips that a command line names.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_OPEN_CLIP_H_
#define POSEWIRE_TOOLS_ANIMCLIP_OPEN_CLIP_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"

namespace posewire::animclip {

// As clipio::OpenClip, and also a pipe, which a signal interrupts: animclip handles none. What is
// opened a second time is opened by clipio::OpenClip, which refuses a pipe instead of waiting for a
// writer that has gone.
absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(
    const std::string& path, const clipio::OpenOptions& options = {});

// Whether it is standard input or a pipe, which cannot be read twice.
bool IsReadOnce(const std::string& path);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_OPEN_CLIP_H_
