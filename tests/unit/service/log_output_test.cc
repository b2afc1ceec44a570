#include "libs/service/log_output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace posewire::service {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class Pipe {
 public:
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    read_ = ends[0];
    write_ = ends[1];
  }
  ~Pipe() {
    CloseRead();
    CloseWrite();
  }
  int to() const { return write_; }
  void CloseRead() { Close(&read_); }
  void CloseWrite() { Close(&write_); }
  // So that a further write does not return.
  void Fill() {
    const int flags = fcntl(write_, F_GETFL);
    fcntl(write_, F_SETFL, flags | O_NONBLOCK);
    const std::string bytes(4096, '\n');
    while (write(write_, bytes.data(), bytes.size()) > 0) {
    }
    while (write(write_, "\n", 1) > 0) {
    }
    fcntl(write_, F_SETFL, flags);
  }
  // Until `text` has come, or nobody writes any more.
  std::string ReadUntil(const std::string& text) {
    std::string all;
    char bytes[4096];
    while (all.find(text) == std::string::npos) {
      const ssize_t n = read(read_, bytes, sizeof(bytes));
      if (n <= 0) break;
      all.append(bytes, static_cast<size_t>(n));
    }
    return all;
  }

 private:
  static void Close(int* descriptor) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
  }
  int read_ = -1, write_ = -1;
};

void Say(LogOutput& out, const std::string& message, int n) {
  const LogField field("n", n);
  out.Write(LogLevel::kInfo, message, &field, 1);
}

TEST(LogOutput, WritesAllInOrderBeforeItEnds) {
  Pipe pipe;
  {
    LogOutput out({.program = "x"}, pipe.to());
    for (int i = 0; i < 500; ++i) Say(out, "line", i);
  }
  pipe.CloseWrite();
  const std::string text = pipe.ReadUntil("never");
  size_t at = 0;
  for (int i = 0; i < 500; ++i) {
    at = text.find(absl::StrCat(" info x: line n=", i, "\n"), at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST(LogOutput, LoggingNeverBlocksOnAReaderThatHasStopped) {
  constexpr int kLines = 20000;
  Pipe pipe;
  pipe.Fill();
  auto out = std::make_unique<LogOutput>(
      LogOutputOptions{.program = "x", .queue_lines = 100, .last_s = 20}, pipe.to());
  const auto start = steady_clock::now();
  for (int i = 0; i < kLines; ++i) Say(*out, "line", i);
  EXPECT_LT(steady_clock::now() - start, seconds(10));
  const LogCounts counts = out->counts();
  EXPECT_GT(counts.dropped, kLines - 1000);
  // The newest are there when somebody reads again, and how many are missing is told before them.
  std::thread end([&] { out.reset(); });
  const std::string text = pipe.ReadUntil(absl::StrCat("n=", kLines - 1, "\n"));
  end.join();
  int64_t lines = 0, missing = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    lines += line.find(": line n=") != absl::string_view::npos;
    if (line.find("log lines were dropped") == absl::string_view::npos) continue;
    int64_t n = 0;
    ASSERT_TRUE(absl::SimpleAtoi(line.substr(line.find("lines=") + 6), &n)) << line;
    missing += n;
  }
  EXPECT_EQ(missing, counts.dropped);
  EXPECT_EQ(lines + missing, kLines);
}

TEST(LogOutput, EndsThoughItsWriteDoesNotReturn) {
  Pipe pipe;
  pipe.Fill();
  const auto start = steady_clock::now();
  {
    LogOutput out({.program = "x", .last_s = 0.05}, pipe.to());
    Say(out, "line", 1);
  }
  EXPECT_LT(steady_clock::now() - start, seconds(5));
}

TEST(LogOutput, LivesOnWhenItsReaderHasGone) {
  Pipe pipe;
  pipe.CloseRead();
  LogOutput out({.program = "x", .queue_lines = 100}, pipe.to());
  for (int i = 0; i < 100; ++i) Say(out, "line", i);
  const auto start = steady_clock::now();
  while (out.counts().dropped < 100 && steady_clock::now() - start < seconds(20)) {
    std::this_thread::yield();
  }
  EXPECT_EQ(out.counts().dropped, 100);
}

TEST(LogOutput, WritesALineThatIsLongerThanAPipeTakesAtOnce) {
  Pipe pipe;
  auto out = std::make_unique<LogOutput>(LogOutputOptions{.program = "x", .last_s = 20}, pipe.to());
  std::vector<LogField> fields;
  for (int i = 0; i < 50; ++i) fields.emplace_back("text", std::string(3000, 'a'));
  out->Write(LogLevel::kInfo, "long", fields.data(), fields.size());
  std::thread end([&] { out.reset(); });
  const std::string text = pipe.ReadUntil("\n");
  end.join();
  EXPECT_GT(text.size(), 150000u);
  EXPECT_THAT(text, EndsWith("a\"\n"));
}

TEST(LogOutput, TellsHowManyLinesOfAMessageItHeldBack) {
  Pipe pipe;
  auto out =
      std::make_unique<LogOutput>(LogOutputOptions{.program = "x", .most_a_second = 5}, pipe.to());
  for (int i = 0; i < 1000; ++i) Say(*out, "again", i);
  Say(*out, "other", 7);
  EXPECT_GE(out->counts().held_back, 900);
  // At the latest at the end.
  out.reset();
  pipe.CloseWrite();
  const std::string text = pipe.ReadUntil("never");
  EXPECT_THAT(text, HasSubstr("again n=4\n"));
  EXPECT_THAT(text, HasSubstr("other n=7\n"));
  EXPECT_THAT(text, HasSubstr("info x: again: and more like this lines="));
}

}  // namespace
}  // namespace posewire::service
