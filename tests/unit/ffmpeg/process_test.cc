#include "libs/ffmpeg/process.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace posewire::ffmpeg {
namespace {

TEST(Process, OneThatDoesNotEndWhenAskedIsKilled) {
  const std::string folder = ::testing::TempDir() + "ffmpeg_process_test/";
  std::filesystem::create_directories(folder);
  const std::string ready = folder + "pid";
  std::filesystem::remove(ready);
  {
    std::ofstream(folder + "ffmpeg")
        << "#!/bin/sh\ntrap '' TERM\necho $$ > " << folder << "new\nmv " << folder << "new "
        << ready << "\nwhile :; do sleep 0.1; done\n";
  }
  chmod((folder + "ffmpeg").c_str(), 0755);
  setenv("PATH", (folder + ":" + std::getenv("PATH")).c_str(), 1);
  pid_t child = -1;
  {
    auto process = ChildProcess::Start({}, {});
    ASSERT_TRUE(process.ok()) << process.status();
    while (!std::filesystem::exists(ready)) usleep(1000);
    std::ifstream(ready) >> child;
    ASSERT_GT(child, 0);
    ASSERT_EQ(kill(child, 0), 0);
  }
  EXPECT_NE(kill(child, 0), 0);
  EXPECT_EQ(errno, ESRCH);
}

}  // namespace
}  // namespace posewire::ffmpeg
