#include "services/renderer_sink/core/take_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "libs/clipio/file.h"
#include "libs/clipio/usda.h"

namespace posewire::renderer_sink {
namespace {

constexpr absl::string_view kVoiceEnding = ".wav";

// Length of the path without its extension.
size_t StemLength(const std::string& path) {
  const size_t dot = path.rfind('.');
  const size_t slash = path.rfind('/');
  return dot == std::string::npos || (slash != std::string::npos && dot < slash) ? path.size()
                                                                                 : dot;
}

}  // namespace

std::string WithEnding(const std::string& path, absl::string_view ending) {
  return absl::StrCat(path.substr(0, StemLength(path)), ending);
}

std::string WavPath(const std::string& path) { return WithEnding(path, kVoiceEnding); }

std::string TakePath(const std::string& path, int take) {
  if (take <= 1 || path == "-") return path;
  const size_t stem = StemLength(path);
  return absl::StrCat(path.substr(0, stem), "-", take, path.substr(stem));
}

void RemoveIfEmpty(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_regular_file(path, none) && std::filesystem::file_size(path, none) == 0) {
    std::filesystem::remove(path, none);
  }
}

absl::StatusOr<std::unique_ptr<TakeFiles>> TakeFiles::Make(const std::string& path, int take,
                                                           bool split_usd) {
  std::vector<absl::string_view> endings = {kVoiceEnding, ""};
  if (split_usd) {
    endings.insert(endings.end(), {clipio::kRigEnding, clipio::kClipEnding});
  }
  for (;; ++take) {
    std::unique_ptr<TakeFiles> files(new TakeFiles(take));
    absl::Status status;
    for (const absl::string_view ending : endings) {
      std::string file = TakePath(path, take);
      if (!ending.empty()) file = WithEnding(file, ending);
      auto sink = clipio::File::Open(file, clipio::File::Mode::kNew);
      if (status = sink.status(); !status.ok()) break;
      files->made_.push_back({std::string(ending), std::move(file), *std::move(sink)});
    }
    if (status.ok()) return files;
    if (!absl::IsAlreadyExists(status)) return status;
  }
}

TakeFiles::~TakeFiles() { RemoveEmpty(); }

void TakeFiles::RemoveEmpty() {
  for (const Made& made : made_) RemoveIfEmpty(made.path);
  made_.clear();
}

std::unique_ptr<clipio::ByteSink> TakeFiles::Open(absl::string_view ending) {
  const auto made = std::find_if(made_.begin(), made_.end(),
                                 [&](const Made& one) { return one.ending == ending; });
  return std::move(made->sink);
}

}  // namespace posewire::renderer_sink
