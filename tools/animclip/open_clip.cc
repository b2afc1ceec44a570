#include "tools/animclip/open_clip.h"

#include <filesystem>
#include <system_error>

#include "libs/clipio/open_clip.h"

namespace posewire::animclip {

absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(
    const std::string& path, const clipio::OpenOptions& options) {
  clipio::OpenOptions may_be_pipe = options;
  may_be_pipe.may_be_pipe = true;
  return clipio::OpenClip(path, may_be_pipe);
}

bool IsReadOnce(const std::string& path) {
  std::error_code none;
  return path == "-" || std::filesystem::is_fifo(path, none);
}

}  // namespace posewire::animclip
