#include "tools/animclip/open_clip.h"

#include <filesystem>
#include <system_error>

namespace posewire::animclip {

absl::StatusOr<clipio::StreamReader> OpenClip(const std::string& path,
                                              const asset::ReadOptions& options,
                                              const wire::ReaderLimits& limits) {
  asset::ReadOptions may_be_pipe = options;
  may_be_pipe.may_be_pipe = true;
  return clipio::StreamReader::Open(path, may_be_pipe, limits);
}

bool IsReadOnce(const std::string& path) {
  std::error_code none;
  return path == "-" || std::filesystem::is_fifo(path, none);
}

}  // namespace posewire::animclip
