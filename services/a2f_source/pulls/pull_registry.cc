#include "services/a2f_source/pulls/pull_registry.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/connection.h"
#include "libs/service/catch_exceptions.h"

namespace posewire::a2f_source {
namespace {

using client::SteadySeconds;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kTick{0.1};
// Maximum number of queued messages per pull: as many as it may lag without losing poses.
constexpr size_t kMostWaiting = 4;

}  // namespace

PullRegistry::~PullRegistry() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void PullRegistry::Run() {
  std::unique_lock lock(mutex_);
  auto next = std::chrono::steady_clock::now();
  while (!stopping_) {
    if (std::chrono::steady_clock::now() >= next) {
      broadcast_.Tick(SteadySeconds());
      next = std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(kTick);
    }
    changed_.wait_until(lock, next, [&] { return stopping_; });
  }
}

void PullRegistry::AddStream(const std::string& stream_id) {
  std::lock_guard lock(mutex_);
  broadcast_.AddStream(stream_id);
}

void PullRegistry::RememberStream(const std::string& stream_id) {
  std::lock_guard lock(mutex_);
  broadcast_.AddStream(stream_id, SteadySeconds() + stream::kRemember_s);
}

absl::Status PullRegistry::OpenPull(const wire::StreamIds& ids,
                                    std::shared_ptr<stream::PullStream> pull) {
  {
    std::lock_guard lock(mutex_);
    if (ended_) return absl::UnavailableError("the source is ending");
    const absl::Status opened = broadcast_.OpenPull(ids, std::move(pull), SteadySeconds());
    if (!opened.ok()) return opened;
    ++calls_;
    if (!thread_.joinable()) {
      thread_ = std::thread([this] {
        service::CatchExceptionsInLoop(log_, "pulls of the source", [this] { Run(); });
      });
    }
  }
  changed_.notify_all();
  return absl::OkStatus();
}

void PullRegistry::ClosePull(stream::PullStream* pull) {
  {
    std::lock_guard lock(mutex_);
    broadcast_.ClosePull(pull);
    --calls_;
  }
  changed_.notify_all();
}

void PullRegistry::OnRoom() {
  // Not between a waiting thread's check and its wait.
  { std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

void PullRegistry::Stop::Request(PullRegistry& room) {
  {
    std::lock_guard lock(room.mutex_);
    requested_ = true;
  }
  room.changed_.notify_all();
}

absl::Status PullRegistry::WaitForPull(const wire::StreamIds& ids, double timeout_s,
                                       const Stop& stop) {
  std::unique_lock lock(mutex_);
  const auto over = [&] { return stop.requested_ || ended_ || broadcast_.IsWanted(ids); };
  if (timeout_s < 0) {
    changed_.wait(lock, over);
  } else if (!changed_.wait_for(lock, Seconds(timeout_s), over)) {
    return absl::UnavailableError(
        absl::StrCat("no client pulls stream_id \"", ids.stream_id, "\""));
  }
  if (stop.requested_ || ended_) return absl::CancelledError("told to stop");
  return absl::OkStatus();
}

uint64_t PullRegistry::Begin(const wire::StreamIds& ids, double epoch_s, std::string layout,
                             stream::Broadcast::MakeHeader header) {
  std::lock_guard lock(mutex_);
  return broadcast_.Begin(ids, epoch_s, std::move(layout), std::move(header), SteadySeconds());
}

double PullRegistry::ShiftOf(uint64_t request, double first_time_code_s) {
  std::lock_guard lock(mutex_);
  return broadcast_.ShiftOf(request, first_time_code_s);
}

void PullRegistry::Send(uint64_t request, const wire::EncodedFrame& message, double end_s,
                        double until_s, const Stop& stop) {
  std::unique_lock lock(mutex_);
  const auto room = [&] {
    return stop.requested_ || ended_ || broadcast_.Waiting(request) < kMostWaiting;
  };
  const double left_s = until_s - SteadySeconds();
  if (left_s > 0) changed_.wait_for(lock, Seconds(left_s), room);
  broadcast_.Send(request, message, end_s, SteadySeconds());
}

void PullRegistry::End(uint64_t request, stream::Ending ending) {
  std::lock_guard lock(mutex_);
  broadcast_.End(request, ending, SteadySeconds());
}

void PullRegistry::WaitEmpty(std::unique_lock<std::mutex>& lock, double budget_s) {
  changed_.wait_for(lock, Seconds(std::max(0.0, budget_s)), [this] { return calls_ == 0; });
}

void PullRegistry::Close(double budget_s) {
  std::unique_lock lock(mutex_);
  ended_ = true;
  broadcast_.Close(SteadySeconds());
  WaitEmpty(lock, budget_s);
}

void PullRegistry::Drain(double budget_s) {
  std::unique_lock lock(mutex_);
  ended_ = true;
  broadcast_.Drain(SteadySeconds());
  changed_.notify_all();
  WaitEmpty(lock, budget_s);
}

}  // namespace posewire::a2f_source
