// Carries a session's requests to where they go: one sink after the other.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_VMC_REQUEST_WRITER_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_VMC_REQUEST_WRITER_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>

#include "absl/status/status.h"
#include "libs/wire/message.h"
#include "services/a2f_source/core/runner.h"

namespace posewire::a2f_source {

// What a session wants done, in order.
struct BeginRequest {
  wire::StreamHeader header;
};
struct EndRequest {};
using RequestStep = std::variant<BeginRequest, wire::Message, EndRequest>;

struct RequestWriterSettings {
  RunIds ids;  // of the first request; later ones get "-2", "-3" ... behind the request id
  double epoch_s = 0;
  // Whether the process was told to stop: the last status of a request says so. Null: never.
  std::function<bool()> stopped;
  // Makes the sink of the n-th request, from 1.
  std::function<std::shared_ptr<MessageSink>(int n)> open;
  // Told of each request that began and ended: its id, and what the far end said.
  std::function<void(const std::string& request_id)> on_begin;
  std::function<void(const std::string& request_id, const std::string& answer)> on_end;
};

// One thread. A request that the far end has ended (it was stopped) is not sent on; the next one
// begins anew.
class RequestWriter {
 public:
  explicit RequestWriter(RequestWriterSettings settings) : settings_(std::move(settings)) {}

  // Blocks as its sink does. An error is final.
  absl::Status Do(RequestStep step);

 private:
  absl::Status Begin(wire::StreamHeader header);
  absl::Status End();

  RequestWriterSettings settings_;
  int requests_ = 0;
  std::string request_id_;
  std::shared_ptr<MessageSink> sink_;
  bool wanted_ = false;
};

// Does the steps on a thread of its own, so that a slow or absent server holds up nobody. At most
// `capacity` frames wait; a further one drops the oldest frame, which is counted. Beginnings and
// ends are never dropped. Methods are called by one thread.
class RequestQueue {
 public:
  explicit RequestQueue(RequestWriter writer, size_t capacity = 32);
  // Drops what waits; the step under way has to be cancelled by its sink.
  ~RequestQueue();

  void Put(RequestStep step);
  // Waits until all is done, or a step failed. False when `timeout_s` went by before.
  bool Drain(double timeout_s);
  // The error that ended it; OK until then.
  absl::Status status() const;
  uint64_t dropped() const;

 private:
  void Run();

  RequestWriter writer_;
  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<RequestStep> steps_;
  size_t frames_ = 0;  // among steps_
  bool busy_ = false, stopping_ = false;
  uint64_t dropped_ = 0;
  absl::Status status_;
  std::thread thread_;  // last
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_VMC_REQUEST_WRITER_H_
