// Runs each call that waits on a thread of its own: for incoming audio, or for room in its output.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_CALL_THREADS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_CALL_THREADS_H_

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"

namespace posewire::a2f_source {

// Thread-safe.
class CallThreads {
 public:
  // How a call is ended from outside: in order, or at once. Called on any thread, while it runs.
  enum class End { kInOrder, kAtOnce };

  // Allows up to `most` calls at once. `what` names one in errors, such as "sound".
  CallThreads(int most, std::string what) : most_(most), what_(std::move(what)) {}
  ~CallThreads() { Close(0); }
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;

  // Runs `run`, which must not throw, on a thread of its own. RESOURCE_EXHAUSTED (stream::IsBusy)
  // if the maximum number is running, UNAVAILABLE after Close; `run` is then not called.
  absl::Status Start(std::function<void()> run, std::function<void(End)> end);

  // Ends all calls in order, and at once after `budget_s`. Returns when no thread is left.
  void Close(double budget_s);

 private:
  struct Call {
    std::thread thread;
    std::function<void(End)> end;
  };
  using Calls = std::list<Call>;

  void EndAll(End end);
  void JoinEnded();

  const int most_;
  const std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // All below is guarded by mutex_.
  Calls calls_;
  Calls ended_;
  bool closing_ = false;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_CALL_THREADS_H_
