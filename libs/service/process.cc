#include "libs/service/process.h"

#include <grpc/support/log.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "libs/program/stop_signals.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/logger.h"

namespace posewire::service {
namespace {

void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

// For messages without a logger. Does not wait for the reader of standard error. A pipe with room
// accepts at least 4096 bytes.
void WriteError(absl::string_view text) {
  pollfd polled{STDERR_FILENO, POLLOUT, 0};
  if (poll(&polled, 1, 0) != 1 || (polled.revents & POLLOUT) == 0) return;
  const ssize_t written = write(STDERR_FILENO, text.data(), std::min<size_t>(text.size(), 4096));
  (void)written;
}

// gRPC's errors may contain bytes from a peer.
void WriteErrorOfGrpc(gpr_log_func_args* error) {
  WriteError(absl::StrCat("gRPC: ", QuoteText(error->message), " (", error->file, ":", error->line,
                          ")\n"));
}

void WriteErrorOfGrpcAsJson(gpr_log_func_args* error) {
  const std::string time =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(), absl::UTCTimeZone());
  WriteError(absl::StrCat(R"({"time":")", time, R"(","level":"error","program":"gRPC","message":)",
                          QuoteText(error->message), R"(,"file":")", error->file, R"(","line":)",
                          error->line, "}\n"));
}

}  // namespace

void WriteGrpcErrorsAsJson() { gpr_set_log_function(WriteErrorOfGrpcAsJson); }

struct Process::Impl {
  double force_after_s = 9.5;  // guarded by mutex
  int signals = -1;            // signalfd
  int wake = -1;               // eventfd: signalled by the destructor
  std::thread watcher;
  mutable std::mutex mutex;
  std::condition_variable stopped;
  bool stop = false;
  int signal = 0;
  std::vector<std::function<void()>> on_stop;

  void Stop(int number);
  // Returns the number of the received signal, 0 if the destructor was called, or -1 after
  // `timeout_ms`.
  int NextSignal(int timeout_ms) const;
  // The same for signals other than SIGHUP; returns -1 after force_after_s.
  int NextUrgentSignal() const;
  void Watch();
};

void Process::Impl::Stop(int number) {
  std::vector<std::function<void()>> calls;
  {
    std::lock_guard<std::mutex> lock(mutex);
    signal = number;
    stop = true;
    calls.swap(on_stop);
  }
  stopped.notify_all();
  for (const auto& call : calls) {
    const absl::Status thrown = Try("stop", call);
    if (thrown.ok()) continue;
    WriteError(absl::StrCat(thrown.message(), "\n"));
  }
}

int Process::Impl::NextSignal(int timeout_ms) const {
  pollfd polled[2] = {{signals, POLLIN, 0}, {wake, POLLIN, 0}};
  int ready = 0;
  do {
    ready = poll(polled, 2, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return -1;
  if (polled[1].revents != 0) return 0;
  signalfd_siginfo info{};
  if (read(signals, &info, sizeof(info)) != static_cast<ssize_t>(sizeof(info))) return -1;
  return static_cast<int>(info.ssi_signo);
}

int Process::Impl::NextUrgentSignal() const {
  using Milliseconds = std::chrono::milliseconds;
  auto end = std::chrono::steady_clock::now();
  {
    std::lock_guard<std::mutex> lock(mutex);
    end += Milliseconds(static_cast<int64_t>(force_after_s * 1000));
  }
  int number = SIGHUP;
  // When a terminal closes, its shell and the kernel both send SIGHUP.
  while (number == SIGHUP) {
    const auto left =
        std::chrono::ceil<Milliseconds>(end - std::chrono::steady_clock::now()).count();
    number = NextSignal(static_cast<int>(std::max<int64_t>(left, 0)));
  }
  return number;
}

void Process::Impl::Watch() {
  const int first = NextSignal(-1);
  if (first <= 0) return;
  // The functions run in parallel to the wait for the second signal, which must work even if a
  // function hangs.
  std::thread stopping([this, first] { Stop(first); });
  const int second = NextUrgentSignal();
  if (second > 0) {
    WriteError("second signal: ending at once\n");
    _exit(128 + second);
  }
  if (second < 0) {
    WriteError("the stop took too long: ending at once\n");
    _exit(1);
  }
  stopping.join();
}

Process::Process() : impl_(std::make_unique<Impl>()) {
  RaiseDescriptorLimit();
  const sigset_t set = program::StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  // gRPC's default function would block the thread that serves a call.
  gpr_set_log_function(WriteErrorOfGrpc);
  impl_->signals = signalfd(-1, &set, SFD_CLOEXEC);
  impl_->wake = eventfd(0, EFD_CLOEXEC);
  impl_->watcher = std::thread([impl = impl_.get()] { impl->Watch(); });
}

Process::~Process() {
  const uint64_t one = 1;
  const ssize_t written = write(impl_->wake, &one, sizeof(one));
  (void)written;
  impl_->watcher.join();
  close(impl_->signals);
  close(impl_->wake);
}

void Process::OnStop(std::function<void()> stop) {
  {
    std::lock_guard<std::mutex> lock(impl_->mutex);
    if (!impl_->stop) {
      impl_->on_stop.push_back(std::move(stop));
      return;
    }
  }
  stop();
}

void Process::ForceAfter(double seconds) {
  std::lock_guard<std::mutex> lock(impl_->mutex);
  impl_->force_after_s = seconds;
}

bool Process::StopRequested() const {
  std::lock_guard<std::mutex> lock(impl_->mutex);
  return impl_->stop;
}

void Process::WaitForStop() {
  std::unique_lock<std::mutex> lock(impl_->mutex);
  impl_->stopped.wait(lock, [this] { return impl_->stop; });
}

bool Process::WaitForStopFor(double seconds) {
  std::unique_lock<std::mutex> lock(impl_->mutex);
  return impl_->stopped.wait_for(lock, std::chrono::duration<double>(seconds),
                                 [this] { return impl_->stop; });
}

int Process::signal() const {
  std::lock_guard<std::mutex> lock(impl_->mutex);
  return impl_->signal;
}

}  // namespace posewire::service
