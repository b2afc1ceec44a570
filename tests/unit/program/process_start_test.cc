#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <string>

#include "libs/program/prepare_process.h"
#include "libs/program/standard_output.h"
#include "libs/program/stop_signals.h"

namespace posewire::program {
namespace {

// The exit code of a child that does this, or 256 + the signal that ended it.
int InChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

bool IsDevNull(int fd) {
  struct stat is = {}, null = {};
  return fstat(fd, &is) == 0 && stat("/dev/null", &null) == 0 && is.st_rdev == null.st_rdev;
}

TEST(PrepareProcess, OpensDevNullForDescriptorsThatAreClosed) {
  for (const int only : {0, 1, 2}) {
    EXPECT_EQ(InChild([&] {
                close(only);
                PrepareProcess();
                return IsDevNull(only) && open("/dev/null", O_RDONLY) > 2 ? 0 : 1;
              }),
              0)
        << only;
  }
  EXPECT_EQ(InChild([] {
              for (const int fd : {0, 1, 2}) close(fd);
              PrepareProcess();
              return IsDevNull(0) && IsDevNull(1) && IsDevNull(2) ? 0 : 1;
            }),
            0);
}

TEST(PrepareProcess, LeavesOpenDescriptorsAlone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(InChild([&] {
              dup2(ends[1], 1);
              PrepareProcess();
              return write(1, "x", 1) == 1 ? 0 : 1;
            }),
            0);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 1);
}

TEST(PrepareProcess, AFileThatMayNotGrowIsAnErrorAndNoSignal) {
  const auto write_past_limit = [](bool prepared) {
    return InChild([&] {
      if (prepared) PrepareProcess();
      const rlimit limit = {10, 10};
      setrlimit(RLIMIT_FSIZE, &limit);
      std::FILE* const file = std::tmpfile();
      const int fd = fileno(file);
      if (write(fd, "0123456789", 10) != 10) return 2;
      return write(fd, "x", 1) == -1 && errno == EFBIG ? 0 : 3;
    });
  };
  EXPECT_EQ(write_past_limit(false), 256 + SIGXFSZ);
  EXPECT_EQ(write_past_limit(true), 0);
}

TEST(StopSignals, HaveSighupUnlessItIsIgnored) {
  const auto has_hangup = [](bool ignored) {
    return InChild([&] {
      signal(SIGHUP, ignored ? SIG_IGN : SIG_DFL);
      const sigset_t set = StopSignals();
      const bool rest = sigismember(&set, SIGTERM) == 1 && sigismember(&set, SIGINT) == 1 &&
                        sigismember(&set, SIGQUIT) == 1;
      return !rest ? 2 : sigismember(&set, SIGHUP);
    });
  };
  EXPECT_EQ(has_hangup(false), 1);
  EXPECT_EQ(has_hangup(true), 0);
}

// The exit code of a program that prints to this descriptor and would end with `code`.
int PrintsTo(int fd, int code) {
  return InChild([&] {
    signal(SIGPIPE, SIG_IGN);
    dup2(fd, STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    std::printf("the result\n");
    return EndWith("program", code);
  });
}

TEST(EndWith, FailsIfTheDeviceIsFull) {
  const int full = open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  EXPECT_EQ(PrintsTo(full, 0), 1);
  EXPECT_EQ(PrintsTo(full, 3), 3);
}

TEST(EndWith, KeepsTheCodeIfAllWasWrittenOrTheReaderHasGone) {
  EXPECT_EQ(PrintsTo(open("/dev/null", O_WRONLY), 0), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_EQ(PrintsTo(ends[1], 0), 0);
}

}  // namespace
}  // namespace posewire::program
