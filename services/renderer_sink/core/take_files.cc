#include "services/renderer_sink/core/take_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_format.h"
#include "libs/formats/usd/usda.h"

namespace posewire::renderer_sink {
namespace {

constexpr absl::string_view kVoiceEnding = ".wav";

bool IsThere(const std::string& path) {
  struct stat there = {};
  return ::lstat(path.c_str(), &there) == 0;
}

// Keeps the existing file until there is something to replace it, so that a failed take does not
// cost another.
class LateReplacement final : public files::ByteSink {
 public:
  explicit LateReplacement(std::unique_ptr<files::ByteSink> file) : file_(std::move(file)) {}

  const std::string& name() const override { return file_->name(); }
  absl::Status Write(absl::string_view bytes) override {
    if (!std::exchange(emptied_, true)) {
      if (absl::Status s = file_->Truncate(0); !s.ok()) return s;
    }
    return file_->Write(bytes);
  }
  absl::Status Overwrite(int64_t offset, absl::string_view bytes) override {
    return file_->Overwrite(offset, bytes);
  }
  // The writer must not truncate the existing file.
  absl::Status Truncate(int64_t size) override {
    return emptied_ ? file_->Truncate(size) : absl::OkStatus();
  }
  absl::Status Sync() override { return file_->Sync(); }
  absl::Status Close() override { return file_->Close(); }

 private:
  const std::unique_ptr<files::ByteSink> file_;
  bool emptied_ = false;
};

}  // namespace

std::string WithEnding(const std::string& path, absl::string_view ending) {
  return absl::StrCat(path.substr(0, clipio::StemLength(path)), ending);
}

std::string WavPath(const std::string& path) { return WithEnding(path, kVoiceEnding); }

std::string TakePath(const std::string& path, int take) {
  if (take <= 1 || path == "-") return path;
  const size_t stem = clipio::StemLength(path);
  return absl::StrCat(path.substr(0, stem), "-", take, path.substr(stem));
}

std::string TakeFiles::PathOf(absl::string_view ending) const {
  return ending.empty() ? path_ : WithEnding(path_, ending);
}

std::string TakeFiles::RescuePath() const { return absl::StrCat(path_, ".animdata"); }

absl::StatusOr<std::unique_ptr<files::ByteSink>> TakeFiles::MakeNew(const std::string& path,
                                                                    absl::string_view ending) {
  auto file = files::File::Open(path, files::File::Mode::kNew);
  if (!file.ok()) return file.status();
  made_.push_back({std::string(ending), path, (*file)->id(), nullptr});
  return *std::move(file);
}

absl::Status TakeFiles::MakeAll(absl::Span<const absl::string_view> endings) {
  for (const absl::string_view ending : endings) {
    auto sink = MakeNew(PathOf(ending), ending);
    if (!sink.ok()) return sink.status();
    made_.back().sink = *std::move(sink);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TakeFiles>> TakeFiles::Make(const std::string& path, int take,
                                                           bool split_usd) {
  std::vector<absl::string_view> endings = {kVoiceEnding, ""};
  if (split_usd) {
    endings.insert(endings.end(), {usd::kRigEnding, usd::kClipEnding});
  }
  for (;; ++take) {
    std::unique_ptr<TakeFiles> files(new TakeFiles(path, take));
    // The number belongs to the take of this rescue file.
    if (IsThere(files->RescuePath())) continue;
    const absl::Status status = files->MakeAll(endings);
    if (status.ok()) return files;
    if (!absl::IsAlreadyExists(status)) return status;
  }
}

std::unique_ptr<TakeFiles> TakeFiles::Replace(const std::string& path, int take) {
  return std::unique_ptr<TakeFiles>(new TakeFiles(path, take));
}

TakeFiles::~TakeFiles() { RemoveEmpty(); }

void TakeFiles::RemoveEmpty() {
  for (const Made& made : made_) {
    struct stat there = {};
    if (::lstat(made.path.c_str(), &there) == 0 && S_ISREG(there.st_mode) && there.st_size == 0 &&
        files::FileId{there.st_dev, there.st_ino} == made.id) {
      ::unlink(made.path.c_str());
    }
  }
  made_.clear();
}

absl::StatusOr<std::unique_ptr<files::ByteSink>> TakeFiles::Open(absl::string_view ending) {
  const auto made = std::find_if(made_.begin(), made_.end(),
                                 [&](const Made& one) { return one.ending == ending; });
  if (made != made_.end()) return std::move(made->sink);
  auto sink = MakeNew(PathOf(ending), ending);
  if (!absl::IsAlreadyExists(sink.status())) return sink;
  auto there = files::File::Open(PathOf(ending), files::File::Mode::kAppend);
  if (!there.ok()) return there.status();
  return std::make_unique<LateReplacement>(*std::move(there));
}

absl::StatusOr<std::unique_ptr<files::ByteSink>> TakeFiles::OpenRescue() {
  for (int n = 1;; ++n) {
    auto sink = MakeNew(TakePath(RescuePath(), n), ".animdata");
    rescued_ = sink.ok();
    if (!absl::IsAlreadyExists(sink.status())) return sink;
  }
}

}  // namespace posewire::renderer_sink
