#include "libs/ffmpeg/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace posewire::ffmpeg {
namespace {

using testing::HasSubstr;

// A program of that name whose lines stand in for ffmpeg's work.
class RunTest : public testing::Test {
 protected:
  void Play(const std::string& lines) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "ffmpeg") << "#!/bin/sh\n" << lines << "\n";
    chmod((folder_ + "ffmpeg").c_str(), 0755);
    setenv("PATH", absl::StrCat(folder_, ":", path_).c_str(), 1);
  }
  ~RunTest() override { setenv("PATH", path_.c_str(), 1); }

  const std::string folder_ = testing::TempDir() + "ffmpeg_run_test/";
  const std::string path_ = std::getenv("PATH");
};

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST_F(RunTest, GivesAllAndTakesAll) {
  Play("tr a b");
  const std::string in(3 << 20, 'a');
  const auto out = ffmpeg::Run({}, in, {});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(*out, std::string(in.size(), 'b'));
  Play("cat > /dev/null; echo $1 $2");
  EXPECT_EQ(*ffmpeg::Run({"-x", "y"}, "", {}), "-x y\n");
}

TEST_F(RunTest, OneThatReadsNothingMayEndAllTheSame) {
  Play("echo done");
  EXPECT_EQ(*ffmpeg::Run({}, std::string(4 << 20, 'x'), {}), "done\n");
}

TEST_F(RunTest, OneThatFailsIsQuoted) {
  Play("echo no such codec >&2; echo really >&2; exit 3");
  const auto out = ffmpeg::Run({}, "x", {});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(out.status()), "ffmpeg failed: no such codec; really");
}

TEST_F(RunTest, OneThatMakesTooMuchIsEnded) {
  Play("yes");
  const auto out = ffmpeg::Run({}, "", {.most_bytes = 1000});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(out.status()), HasSubstr("more than 1000 bytes"));
}

TEST_F(RunTest, OneThatDoesNotEndIsEnded) {
  Play("exec sleep 1000");
  const auto out = ffmpeg::Run({}, "", {.most_s = 0.05});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(Message(out.status()), HasSubstr("within 0.05 s"));
}

TEST_F(RunTest, OneThatWantsTooMuchMemoryDoesNotGetIt) {
  // The limit is there before the input is.
  Play("read line; ulimit -v");
  EXPECT_EQ(*ffmpeg::Run({}, "go\n", {.memory_bytes = size_t{1} << 30}), "1048576\n");
}

TEST_F(RunTest, SaysWhatIsMissing) {
  setenv("PATH", folder_.c_str(), 1);
  std::filesystem::remove(folder_ + "ffmpeg");
  const auto out = ffmpeg::Run({}, "", {});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Message(out.status()), HasSubstr("needs the ffmpeg program, which is not installed"));
}

}  // namespace
}  // namespace posewire::ffmpeg
