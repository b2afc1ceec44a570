// Files that are written next to their place and moved there when they are whole.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_PART_FILES_H_
#define POSEWIRE_TOOLS_ANIMCLIP_PART_FILES_H_

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace posewire::animclip {

// Which of them there are, so that none is left behind when a signal ends the process. Thread-safe.
class PartFiles {
 public:
  // When one of program::StopSignals comes, removes the files and ends the process by that signal.
  // Called first in main, as it blocks these signals for every thread to come.
  static void RemoveOnSignals(const std::shared_ptr<PartFiles>& files);

 private:
  friend class PartFile;
  void Add(const std::string& path);
  void Forget(const std::string& path);

  std::mutex mutex_;
  std::multiset<std::string> paths_;  // guarded by mutex_
};

// One of them. One thread.
class PartFile {
 public:
  // How it is called: with ".part" behind the name of the file, or ".part." before it, which leaves
  // the ending, that says the format.
  enum Name { kBehind, kBefore };
  // For the file of `path`; where that is a link, for what it leads to, so that the link stays.
  // Before the part is made. Errors are those of files::PlaceOf.
  static absl::StatusOr<PartFile> Of(const std::string& path, Name name,
                                     std::shared_ptr<PartFiles> files);
  // Removes the file unless it was moved.
  ~PartFile();
  PartFile(PartFile&& other) noexcept = default;
  PartFile& operator=(PartFile&& other) = delete;

  const std::string& path() const { return path_; }
  // UNAVAILABLE names the path that it is for.
  absl::Status MoveToPlace();

 private:
  PartFile(std::shared_ptr<PartFiles> files, std::string part, std::string place, std::string of);

  std::shared_ptr<PartFiles> files_;  // null: moved
  std::string path_, place_, of_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_PART_FILES_H_
