#include "libs/service/catch_exceptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

namespace posewire::service {
namespace {

using ::testing::HasSubstr;

TEST(CatchExceptions, PassesWorkThatThrowsNothing) {
  int done = 0;
  EXPECT_TRUE(CatchExceptions(Logger(), "here", [&] { ++done; }).ok());
  EXPECT_EQ(done, 1);
}

TEST(CatchExceptions, SaysAndLogsWhatWasThrownAndWhere) {
  std::ostringstream out;
  const Logger log("test", {}, out);
  const absl::Status status = CatchExceptions(log, "the reader", [] {
    std::filesystem::create_directory("/proc/there/is/no/such/folder");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the reader: std::filesystem::__cxx11::filesystem_error: "));
  EXPECT_THAT(out.str(), HasSubstr("no/such/folder"));
  EXPECT_EQ(CatchExceptions(log, "x", [] { throw 5; }).message(), "x: int was thrown");
}

TEST(CatchExceptions, KnowsMemoryThatIsNotThere) {
  const absl::Status status =
      Try("the clip", [] { std::string().reserve(std::numeric_limits<ptrdiff_t>::max() - 1); });
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "the clip: there is not enough memory");
}

TEST(CatchExceptionsInLoop, BeginsAnewUntilTheLoopReturns) {
  std::ostringstream out;
  int rounds = 0;
  CatchExceptionsInLoop(Logger("test", {}, out), "loop", [&] {
    if (++rounds < 3) throw std::runtime_error("bad");
  });
  EXPECT_EQ(rounds, 3);
  EXPECT_THAT(out.str(), HasSubstr("loop: std::runtime_error: bad"));
}

TEST(CatchExceptionsInMain, GivesTheCodeOrSaysWhatWasThrown) {
  EXPECT_EQ(CatchExceptionsInMain("program", [] { return 7; }), 7);
  testing::internal::CaptureStderr();
  EXPECT_EQ(CatchExceptionsInMain("program", []() -> int { throw std::runtime_error("bad"); }), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "program: std::runtime_error: bad\n");
}

}  // namespace
}  // namespace posewire::service
