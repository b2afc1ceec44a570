// A process in which no temporary file can be made, as in a container that is read only.
#ifndef POSEWIRE_TESTS_SUPPORT_NO_TEMPORARY_FOLDER_H_
#define POSEWIRE_TESTS_SUPPORT_NO_TEMPORARY_FOLDER_H_

#include <cstdlib>
#include <optional>
#include <string>

namespace posewire {

// For as long as it lives. Not while other threads read the environment.
class NoTemporaryFolder {
 public:
  NoTemporaryFolder() {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", "/nowhere", 1);
  }
  ~NoTemporaryFolder() {
    if (before_) {
      setenv("TMPDIR", before_->c_str(), 1);
    } else {
      unsetenv("TMPDIR");
    }
  }
  NoTemporaryFolder(const NoTemporaryFolder&) = delete;
  NoTemporaryFolder& operator=(const NoTemporaryFolder&) = delete;

 private:
  std::optional<std::string> before_;
};

}  // namespace posewire

#endif  // POSEWIRE_TESTS_SUPPORT_NO_TEMPORARY_FOLDER_H_
