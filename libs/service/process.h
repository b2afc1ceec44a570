// Start and end of a process: signals, descriptors, a bounded stop.
//
// The first of program::StopSignals requests a stop: OnStop's functions run on the watcher's
// thread, and WaitForStop returns. A second one, except SIGHUP, ends the process immediately with
// 128 + its number. If the process still runs `force_after_s` after the first, it ends itself with
// code 1. Its messages then, and gRPC's own messages, are dropped if standard error is not being
// read.
#ifndef POSEWIRE_LIBS_SERVICE_PROCESS_H_
#define POSEWIRE_LIBS_SERVICE_PROCESS_H_

#include <functional>
#include <memory>

namespace posewire::service {

// gRPC's own errors, which have no logger, go to standard error as lines of text; after this call
// as JSON like the log's.
void WriteGrpcErrorsAsJson();

// Construct it first in main, before any thread: it blocks the signals for all future threads,
// ignores SIGPIPE and raises the limit of open files. One per process. Thread-safe.
class Process {
 public:
  Process();
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Calls `stop` once when a signal requests a stop, immediately if it already did. `stop` must
  // return soon.
  void OnStop(std::function<void()> stop);
  // Sets force_after_s (9.5) for a stop that is requested later.
  void ForceAfter(double seconds);
  bool StopRequested() const;
  void WaitForStop();
  // Returns false if `seconds` passed without a stop.
  bool WaitForStopFor(double seconds);
  // The signal that requested the stop; 0 if none did.
  int signal() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_PROCESS_H_
