#include "services/a2f_source/live/request_writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/catch_exceptions.h"

namespace posewire::a2f_source {

absl::Status RequestWriter::Do(RequestStep step) {
  if (auto* begin = std::get_if<BeginRequest>(&step)) return Begin(std::move(begin->header));
  if (std::holds_alternative<EndRequest>(step)) return End();
  if (!sink_ || !wanted_) return absl::OkStatus();
  const auto sent = sink_->Send(std::get<wire::Message>(step));
  if (!sent.ok()) return sent.status();
  wanted_ = *sent;
  return absl::OkStatus();
}

absl::Status RequestWriter::Begin(wire::StreamHeader header) {
  if (absl::Status s = End(); !s.ok()) return s;
  ++requests_;
  RunIds ids = settings_.ids;
  if (requests_ > 1) absl::StrAppend(&ids.request_id, "-", requests_);
  request_id_ = ids.request_id;
  SetIds(ids, header);
  header.epoch_s = settings_.epoch_s;
  sink_ = settings_.open(requests_);
  wanted_ = true;
  if (absl::Status s = sink_->Begin(header); !s.ok()) return s;
  if (settings_.on_begin) settings_.on_begin(request_id_);
  return absl::OkStatus();
}

absl::Status RequestWriter::End() {
  if (!sink_) return absl::OkStatus();
  const std::shared_ptr<MessageSink> sink = std::exchange(sink_, nullptr);
  if (wanted_) {
    const bool stopped = settings_.stopped && settings_.stopped();
    const auto sent = sink->Send(LastStatus(stopped ? absl::CancelledError() : absl::OkStatus()));
    if (!sent.ok()) return sent.status();
  }
  const auto answer = sink->End();
  if (!answer.ok()) return answer.status();
  if (settings_.on_end) settings_.on_end(request_id_, *answer);
  return absl::OkStatus();
}

RequestQueue::RequestQueue(RequestWriter writer, size_t capacity)
    : writer_(std::move(writer)), capacity_(capacity), thread_([this] { Run(); }) {}

RequestQueue::~RequestQueue() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RequestQueue::Put(RequestStep step) {
  {
    std::lock_guard lock(mutex_);
    if (!status_.ok()) return;
    if (std::holds_alternative<wire::Message>(step) && ++frames_ > capacity_) {
      steps_.erase(std::find_if(steps_.begin(), steps_.end(), [](const RequestStep& s) {
        return std::holds_alternative<wire::Message>(s);
      }));
      --frames_;
      ++dropped_;
    }
    steps_.push_back(std::move(step));
  }
  changed_.notify_all();
}

bool RequestQueue::Drain(double timeout_s) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(timeout_s),
                           [this] { return (steps_.empty() && !busy_) || !status_.ok(); });
}

absl::Status RequestQueue::status() const {
  std::lock_guard lock(mutex_);
  return status_;
}

uint64_t RequestQueue::dropped() const {
  std::lock_guard lock(mutex_);
  return dropped_;
}

void RequestQueue::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !steps_.empty(); });
    if (stopping_ || !status_.ok()) return;
    RequestStep step = std::move(steps_.front());
    steps_.pop_front();
    if (std::holds_alternative<wire::Message>(step)) --frames_;
    busy_ = true;
    lock.unlock();
    absl::Status done;
    const absl::Status thrown =
        service::Try("writer of requests", [&] { done = writer_.Do(std::move(step)); });
    if (!thrown.ok()) done = thrown;
    lock.lock();
    busy_ = false;
    if (!done.ok()) status_ = done;
    changed_.notify_all();
  }
}

}  // namespace posewire::a2f_source
