// What a process does at its start and its end: signals, descriptors, a bounded stop.
//
// The first of program::StopSignals asks to stop: OnStop's functions run on the watcher's thread,
// and WaitForStop returns. A second one but SIGHUP ends the process at once with 128 + its number.
// If it still runs `force_after_s` after the first, it ends itself with code 1. What it says then,
// and what gRPC says by itself, is left out when nobody reads standard error.
#ifndef POSEWIRE_LIBS_SERVICE_PROCESS_H_
#define POSEWIRE_LIBS_SERVICE_PROCESS_H_

#include <functional>
#include <memory>

namespace posewire::service {

struct ProcessOptions {
  double force_after_s = 9.5;
};

// gRPC's own errors, which have no logger, go to standard error as lines of text; after this as
// JSON like the log's.
void WriteGrpcErrorsAsJson();

// Made as the first thing in main, before any thread: it blocks the signals for every thread to
// come, ignores SIGPIPE and raises the limit of open files. One per process. Thread-safe.
class Process {
 public:
  explicit Process(ProcessOptions options = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Calls `stop` once when a signal asks to stop, at once if it did already. Must return soon.
  void OnStop(std::function<void()> stop);
  bool StopRequested() const;
  void WaitForStop();
  // False when `seconds` went by without a stop.
  bool WaitForStopFor(double seconds);
  // The signal that asked to stop; 0 when none did.
  int signal() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_PROCESS_H_
