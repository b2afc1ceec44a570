// Writes a session's requests to sinks, one after the other.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_LIVE_REQUEST_WRITER_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_LIVE_REQUEST_WRITER_H_

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

// A session's steps, in order.
struct BeginRequest {
  wire::StreamHeader header;
};
struct EndRequest {};
using RequestStep = std::variant<BeginRequest, wire::Message, EndRequest>;

struct RequestWriterSettings {
  RunIds ids;  // of the first request; later ones get "-2", "-3" ... after the request id
  double epoch_s = 0;
  // Returns true if the process was told to stop, which the last status of a request reports. Null:
  // never.
  std::function<bool()> stopped;
  // Opens the sink of the n-th request, from 1.
  std::function<std::shared_ptr<MessageSink>(int n)> open;
  // Called for each request that began and ended, with its id and the receiver's answer.
  std::function<void(const std::string& request_id)> on_begin;
  std::function<void(const std::string& request_id, const std::string& answer)> on_end;
};

// One thread. When the receiver ends a request (it was stopped), the rest of it is not sent; the
// next request is.
class RequestWriter {
 public:
  explicit RequestWriter(RequestWriterSettings settings) : settings_(std::move(settings)) {}

  // Blocks while its sink does. An error is final.
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

// Does the steps on a thread of its own, so that a slow or absent server does not block the caller.
// Capacity: `capacity` frames. A further frame drops the oldest, which dropped() counts. Beginnings
// and ends are never dropped. One thread calls the methods.
class RequestQueue {
 public:
  explicit RequestQueue(RequestWriter writer, size_t capacity = 32);
  // Drops queued steps. The sink must cancel the current one.
  ~RequestQueue();

  void Put(RequestStep step);
  // Waits until all steps are done, or one failed. Returns false after `timeout_s`.
  bool Drain(double timeout_s);
  // The error of the failed step; OK until then.
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

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_LIVE_REQUEST_WRITER_H_
