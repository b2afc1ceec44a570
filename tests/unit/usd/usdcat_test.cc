#include "libs/formats/usd/usdcat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace posewire::usd {
namespace {

using ::testing::HasSubstr;

// A PATH with nothing but these programs on it.
class UsdCat : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "usdcat_test";
    std::filesystem::create_directories(folder_);
    before_ = std::getenv("PATH");
    ::setenv("PATH", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", before_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }
  void Program(const std::string& name, const std::string& script) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    ::chmod(path.c_str(), 0755);
  }

  std::string folder_, before_;
};

TEST_F(UsdCat, SaysHowToGoOnWithoutOpenUsd) {
  const auto text = ReadBinaryStage("a.usdc", 100);
  EXPECT_EQ(text.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(text.status().message()), HasSubstr("needs usdcat, or python3"));
  Program("python3", "exit 42");
  EXPECT_EQ(ReadBinaryStage("a.usdc", 100).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(UsdCat, TakesItsTextOrElsePythons) {
  Program("python3", "echo \"#usda 1.0 by python of $3\"");
  EXPECT_EQ(*ReadBinaryStage("a.usdc", 100), "#usda 1.0 by python of a.usdc\n");
  Program("usdcat", "echo \"#usda 1.0 $1 $2\"");
  EXPECT_EQ(*ReadBinaryStage("-a.usdc", 100), "#usda 1.0 --flatten ./-a.usdc\n");
}

TEST_F(UsdCat, BrokenAndLongOnesAreRejected) {
  Program("usdcat", "echo half; exit 3");
  EXPECT_THAT(std::string(ReadBinaryStage("a.usdc", 100).status().message()),
              HasSubstr("usdcat ended with 3"));
  Program("usdcat", "while :; do echo long; done");
  EXPECT_EQ(ReadBinaryStage("a.usdc", 100).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(UsdCat, HasADeadlineAndCanBeStopped) {
  Program("usdcat", "echo half; exec /bin/sleep 1000");
  const auto late = ReadBinaryStage(
      "a.usdc", 100, [] { return false; }, 0.2);
  EXPECT_EQ(late.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(late.status().message()), HasSubstr("has not ended within 0.2 s"));
  int asked = 0;
  const auto stopped = ReadBinaryStage("a.usdc", 100, [&asked] { return ++asked > 2; });
  EXPECT_EQ(stopped.status().code(), absl::StatusCode::kCancelled);
}

TEST_F(UsdCat, EndsAProgramThatHasClosedItsOutputAndStays) {
  Program("usdcat", "exec >&-; exec /bin/sleep 1000");
  const auto late = ReadBinaryStage(
      "a.usdc", 100, [] { return false; }, 0.2);
  EXPECT_EQ(late.status().code(), absl::StatusCode::kDeadlineExceeded);
}

// Those that animclip and the services wait for themselves.
TEST_F(UsdCat, ItsProgramBlocksNoSignals) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGINT);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  Program("usdcat", "exec /bin/grep SigBlk /proc/self/status");
  const auto said = ReadBinaryStage("a.usdc", 100);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_THAT(*said, HasSubstr("0000000000000000"));
}

TEST_F(UsdCat, PythonRunsNothingOfTheWorkingFolder) {
  Program("python3", "exec /usr/bin/python3 \"$@\"");
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::create_directories(folder_ + "/pxr");
  std::ofstream(folder_ + "/pxr/__init__.py") << "open('was_run', 'w').close()\n";
  std::filesystem::current_path(folder_);
  EXPECT_FALSE(ReadBinaryStage("a.usdc", 100).ok());
  std::filesystem::current_path(here);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/was_run"));
}

TEST(UsdNames, OfStages) {
  EXPECT_TRUE(IsStageName("a/B.USDZ"));
  EXPECT_FALSE(IsStageName("a.usdcat"));
  EXPECT_TRUE(IsBinaryStage("PXR-USDC\0"));
  EXPECT_FALSE(IsBinaryStage("#usda 1.0"));
}

}  // namespace
}  // namespace posewire::usd
