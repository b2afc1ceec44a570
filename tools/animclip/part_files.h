// Files that are written next to their place and moved there when they are complete.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_PART_FILES_H_
#define POSEWIRE_TOOLS_ANIMCLIP_PART_FILES_H_

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace posewire::animclip {

// The list of these files, so that none is left when a signal ends the process. Thread-safe.
class PartFiles {
 public:
  // When one of program::StopSignals arrives, removes the files and ends the process by that
  // signal. Call first in main, because it blocks these signals for all later threads.
  static void RemoveOnSignals(const std::shared_ptr<PartFiles>& files);

 private:
  friend class PartFile;
  void Add(const std::string& path);
  void Forget(const std::string& path);

  std::mutex mutex_;
  std::multiset<std::string> paths_;  // guarded by mutex_
};

// One such file. One thread.
class PartFile {
 public:
  // Its name: the file's name with ".part" after it, or with ".part." before it, which keeps the
  // extension that determines the format.
  enum Name { kBehind, kBefore };
  // For the file of `path`; if that is a link, for its target, so that the link stays. Call before
  // the file is created. Errors are those of files::PlaceOf.
  static absl::StatusOr<PartFile> Of(const std::string& path, Name name,
                                     std::shared_ptr<PartFiles> files);
  // Removes the file unless it was moved.
  ~PartFile();
  PartFile(PartFile&& other) noexcept = default;
  PartFile& operator=(PartFile&& other) = delete;

  const std::string& path() const { return path_; }
  // UNAVAILABLE names the destination path.
  absl::Status MoveToPlace();

 private:
  PartFile(std::shared_ptr<PartFiles> files, std::string part, std::string place, std::string of);

  std::shared_ptr<PartFiles> files_;  // null: moved
  std::string path_, place_, of_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_PART_FILES_H_
