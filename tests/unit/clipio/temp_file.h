// A file for one test.
#ifndef POSEWIRE_TESTS_UNIT_CLIPIO_TEMP_FILE_H_
#define POSEWIRE_TESTS_UNIT_CLIPIO_TEMP_FILE_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace posewire::clipio {

// Gone with the object; its name ends in `extension`.
class TempFile {
 public:
  explicit TempFile(const std::string& extension) {
    std::string name = ::testing::TempDir();
    name += "posewire_XXXXXX";
    name += extension;
    const int fd = ::mkstemps(name.data(), static_cast<int>(extension.size()));
    EXPECT_GE(fd, 0);
    if (fd >= 0) ::close(fd);
    path_ = name;
  }
  TempFile(const std::string& extension, const std::string& content) : TempFile(extension) {
    Fill(content);
  }
  ~TempFile() { std::remove(path_.c_str()); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  void Fill(const std::string& content) const { std::ofstream(path_, std::ios::binary) << content; }
  std::string Content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace posewire::clipio

#endif  // POSEWIRE_TESTS_UNIT_CLIPIO_TEMP_FILE_H_
