#include "libs/service/process.h"

#include <fcntl.h>
#include <grpc/support/log.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <initializer_list>
#include <string>
#include <thread>

namespace posewire::service {
namespace {

// Runs `body` in a child and returns how it ended, as waitpid tells it. `say` writes one byte that
// the parent waits for before it goes on to `then`.
template <typename Body, typename Then>
int RunChild(Body body, Then then) {
  int ready[2];
  if (pipe(ready) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    close(ready[0]);
    _exit(body([&] { (void)!write(ready[1], "x", 1); }));
  }
  close(ready[1]);
  char byte = 0;
  const auto next = [&] { return read(ready[0], &byte, 1) == 1; };
  then(child, next);
  int status = 0;
  waitpid(child, &status, 0);
  close(ready[0]);
  return status;
}

TEST(Process, StopsOnTheFirstSignal) {
  for (const int number : {SIGTERM, SIGINT, SIGQUIT, SIGHUP}) {
    const int status = RunChild(
        [&](auto say) {
          Process process;
          std::atomic<int> calls = 0;
          process.OnStop([&] { ++calls; });
          say();
          process.WaitForStop();
          process.OnStop([&] { ++calls; });
          if (process.signal() != number) return 3;
          return calls >= 1 ? 0 : 4;
        },
        [&](pid_t child, auto next) {
          ASSERT_TRUE(next());
          kill(child, number);
        });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

// How a child ends whose drain hangs: that gets the first signal and, while it drains, the others.
int StatusOfAHangingDrain(int first, std::initializer_list<int> others) {
  return RunChild(
      [](auto say) {
        Process process;
        process.OnStop([&] {
          say();
          pause();
        });
        say();
        pause();
        return 0;
      },
      [&](pid_t child, auto next) {
        ASSERT_TRUE(next());
        kill(child, first);
        ASSERT_TRUE(next());
        for (const int number : others) kill(child, number);
      });
}

TEST(Process, EndsAtOnceOnTheSecondSignal) {
  const int status = StatusOfAHangingDrain(SIGTERM, {SIGTERM});
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
}

// The shell of a terminal that is closed sends one, and the kernel another.
TEST(Process, StopsInOrderThoughSighupComesAgain) {
  const int status = RunChild(
      [](auto say) {
        sigset_t user;
        sigemptyset(&user);
        sigaddset(&user, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &user, nullptr);
        std::promise<void> again;
        Process process;
        process.OnStop([&] {
          say();
          again.get_future().wait();
        });
        say();
        process.WaitForStop();
        int number = 0;
        sigwait(&user, &number);  // sent after the second hangup
        sigset_t pending;
        do {
          std::this_thread::yield();
          sigpending(&pending);
        } while (sigismember(&pending, SIGHUP) == 1);
        again.set_value();
        return 0;
      },
      [](pid_t child, auto next) {
        ASSERT_TRUE(next());
        kill(child, SIGHUP);
        ASSERT_TRUE(next());
        kill(child, SIGHUP);
        kill(child, SIGUSR1);
      });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Process, EndsAtOnceOnAnotherSignalAfterSighup) {
  const int status = StatusOfAHangingDrain(SIGHUP, {SIGHUP, SIGTERM});
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
}

TEST(Process, TakesNoSighupThatWasIgnoredBefore) {
  const int status = RunChild(
      [](auto say) {
        signal(SIGHUP, SIG_IGN);
        Process process;
        say();
        process.WaitForStop();
        return process.signal() == SIGTERM ? 0 : 3;
      },
      [](pid_t child, auto next) {
        ASSERT_TRUE(next());
        kill(child, SIGHUP);
        kill(child, SIGTERM);
      });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Process, EndsByItselfWhenTheStopHangs) {
  const int status = RunChild(
      [](auto say) {
        Process process;
        process.ForceAfter(0.05);
        say();
        pause();
        return 0;
      },
      [](pid_t child, auto next) {
        ASSERT_TRUE(next());
        kill(child, SIGINT);
      });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

// With standard error a full pipe, that the parent holds open and nobody reads.
TEST(Process, EndsByItselfThoughNobodyReadsWhatItSays) {
  int errors[2];
  ASSERT_EQ(pipe(errors), 0);
  fcntl(errors[1], F_SETFL, O_NONBLOCK);
  while (write(errors[1], "x", 1) == 1) {
  }
  fcntl(errors[1], F_SETFL, 0);
  for (const bool twice : {false, true}) {
    const int status = RunChild(
        [&](auto say) {
          dup2(errors[1], STDERR_FILENO);
          Process process;
          process.ForceAfter(twice ? 60 : 0.05);
          process.OnStop([&] { say(); });
          say();
          pause();
          return 0;
        },
        [&](pid_t child, auto next) {
          ASSERT_TRUE(next());
          kill(child, SIGTERM);
          ASSERT_TRUE(next());
          if (twice) kill(child, SIGTERM);
        });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), twice ? 128 + SIGTERM : 1);
  }
  close(errors[0]);
  close(errors[1]);
}

TEST(Process, CallsOnceAndAtOnceWhoComesLate) {
  Process process;
  EXPECT_FALSE(process.StopRequested());
  EXPECT_FALSE(process.WaitForStopFor(0.001));
  EXPECT_EQ(process.signal(), 0);
  std::promise<void> called;  // a second call would throw
  process.OnStop([&] { called.set_value(); });
  ASSERT_EQ(kill(getpid(), SIGTERM), 0);
  process.WaitForStop();
  called.get_future().wait();
  bool late = false;
  process.OnStop([&] { late = true; });
  EXPECT_TRUE(late);
  EXPECT_TRUE(process.StopRequested());
  EXPECT_TRUE(process.WaitForStopFor(0));
  EXPECT_EQ(process.signal(), SIGTERM);
}

// A peer's bytes in an error of gRPC can neither forge a line nor reach the terminal as they are.
TEST(Process, QuotesWhatGrpcSays) {
  Process process;
  gpr_log_verbosity_init();
  testing::internal::CaptureStderr();
  gpr_log(GPR_ERROR, "header \xEF\n%s", "\x1B[2J");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.rfind("gRPC: \"header \xEF\xBF\xBD\\n\\u001b[2J\" (", 0), 0u) << said;
  EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
}

TEST(Process, RaisesTheDescriptorLimitAndIgnoresBrokenPipes) {
  Process process;
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(limit.rlim_cur, limit.rlim_max);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_EQ(write(ends[1], "x", 1), -1);  // And the process lives on.
  close(ends[1]);
}

}  // namespace
}  // namespace posewire::service
