// Opens the clips on the command line.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_OPEN_CLIP_H_
#define POSEWIRE_TOOLS_ANIMCLIP_OPEN_CLIP_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"

namespace posewire::animclip {

// Like clipio::OpenClip, but also opens a pipe, which signals may interrupt because animclip
// handles none. To open a clip a second time use clipio::OpenClip, which rejects a pipe instead of
// waiting for a writer that has gone.
absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(
    const std::string& path, const clipio::OpenOptions& options = {});

// Returns true for standard input or a pipe, which cannot be read twice.
bool IsReadOnce(const std::string& path);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_OPEN_CLIP_H_
