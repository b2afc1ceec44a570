#include "tools/animclip/part_files.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/files/read.h"
#include "libs/program/stop_signals.h"

namespace posewire::animclip {

void PartFiles::RemoveOnSignals(const std::shared_ptr<PartFiles>& files) {
  const sigset_t set = program::StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread([files, set] {
    int number = 0;
    while (sigwait(&set, &number) != 0) continue;
    // Stays locked until the process ends, so that no other file is started.
    files->mutex_.lock();
    for (const std::string& path : files->paths_) unlink(path.c_str());
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    raise(number);
  }).detach();
}

void PartFiles::Add(const std::string& path) {
  std::lock_guard<std::mutex> lock(mutex_);
  paths_.insert(path);
}

void PartFiles::Forget(const std::string& path) {
  std::lock_guard<std::mutex> lock(mutex_);
  paths_.erase(paths_.find(path));
}

PartFile::PartFile(std::shared_ptr<PartFiles> files, std::string part, std::string place,
                   std::string of)
    : files_(std::move(files)),
      path_(std::move(part)),
      place_(std::move(place)),
      of_(std::move(of)) {
  files_->Add(path_);
}

absl::StatusOr<PartFile> PartFile::Of(const std::string& path, Name name,
                                      std::shared_ptr<PartFiles> files) {
  absl::StatusOr<std::string> place = files::PlaceOf(path);
  if (!place.ok()) return place.status();
  std::string part = absl::StrCat(*place, ".part");
  if (name == kBefore) {
    std::filesystem::path before(*place);
    part = before.replace_filename(absl::StrCat(".part.", before.filename().string())).string();
  }
  return PartFile(std::move(files), std::move(part), *std::move(place), path);
}

PartFile::~PartFile() {
  if (files_ == nullptr) return;
  unlink(path_.c_str());
  files_->Forget(path_);
}

absl::Status PartFile::MoveToPlace() {
  if (std::rename(path_.c_str(), place_.c_str()) != 0) {
    return absl::UnavailableError(
        absl::StrCat("\"", of_, "\" cannot be put in place: ", std::strerror(errno)));
  }
  std::exchange(files_, nullptr)->Forget(path_);
  return absl::OkStatus();
}

}  // namespace posewire::animclip
