#include "services/a2f_source/speaker/call_threads.h"

#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/stream/busy.h"

namespace posewire::a2f_source {

absl::Status CallThreads::Start(std::function<void()> run, std::function<void(End)> end) {
  JoinEnded();
  std::lock_guard lock(mutex_);
  if (closing_) return absl::UnavailableError("the source is stopping");
  if (calls_.size() >= static_cast<size_t>(most_)) {
    return stream::BusyError(absl::StrCat(
        most_, " ", what_,
        "s are already in progress, which is the limit; try again when one of them has ended"));
  }
  calls_.emplace_back();
  const auto call = std::prev(calls_.end());
  call->end = std::move(end);
  try {
    // When done, waits for the lock that is held here.
    call->thread = std::thread([this, call, run = std::move(run)] {
      run();
      std::lock_guard done(mutex_);
      call->end = nullptr;
      ended_.splice(ended_.end(), calls_, call);
      changed_.notify_all();
    });
  } catch (const std::system_error&) {
    calls_.erase(call);
    return stream::BusyError(
        absl::StrCat("there is no thread for another ", what_, "; try again later"));
  }
  return absl::OkStatus();
}

void CallThreads::Close(double budget_s) {
  const auto empty = [this] { return calls_.empty(); };
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  EndAll(End::kInOrder);
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(budget_s), empty);
  }
  EndAll(End::kAtOnce);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, empty);
  }
  JoinEnded();
}

void CallThreads::EndAll(End end) {
  std::vector<std::function<void(End)>> ends;
  {
    std::lock_guard lock(mutex_);
    for (const Call& call : calls_) ends.push_back(call.end);
  }
  for (const auto& call : ends) call(end);
}

void CallThreads::JoinEnded() {
  Calls ended;
  {
    std::lock_guard lock(mutex_);
    ended.swap(ended_);
  }
  for (Call& call : ended) call.thread.join();
}

}  // namespace posewire::a2f_source
