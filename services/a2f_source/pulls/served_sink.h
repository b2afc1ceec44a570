// Sends a request to the clients that pull it.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_PULLS_SERVED_SINK_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_PULLS_SERVED_SINK_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "services/a2f_source/core/pacer.h"
#include "services/a2f_source/core/runner.h"
#include "services/a2f_source/pulls/pull_registry.h"

namespace posewire::a2f_source {

struct ServedSinkOptions {
  // Begin waits for the first pull, and the request's epoch is the time of that pull.
  bool wait_for_pull = false;
  double wait_s = -1;  // negative: without limit; otherwise Begin returns UNAVAILABLE after it
  // How far the other sink stays ahead of playback, however slow a pull is.
  double lead_s = 0;
};

// Sends each message to the other sink, if any, and then to the pulls, encoded once. A slow pull is
// waited for only while the sent data is more than lead_s ahead of playback at speed 1. After that,
// the rules of stream::PullQueue apply, and other pulls are not affected. Any thread may call
// Cancel; everything else is one thread's.
class ServedSink : public MessageSink {
 public:
  // `other` may be null. `room` must outlive this.
  ServedSink(PullRegistry* room, std::shared_ptr<MessageSink> other, ServedSinkOptions options)
      : room_(room), other_(std::move(other)), options_(options), pace_(1, options.lead_s) {}
  ~ServedSink() override { Close(); }

  absl::Status Begin(const wire::StreamHeader& header) override;
  // Sends a message. Pulls get a status once another message follows it, or if it is an error. The
  // last status determines how the request ends, which pulls learn from a status of their own.
  absl::StatusOr<bool> Send(const wire::Message& message) override;
  absl::StatusOr<std::string> End() override;

  // Closes the request. If it was not ended, it has lost its source, or was stopped if it was
  // cancelled. The registry may be destroyed afterwards.
  void Close();

  // Ends the waits, and marks the request as stopped. The other sink has its own Cancel.
  void Cancel();

 private:
  void SendHeldStatus();
  void SendToPulls(const wire::MessageBytes& bytes, const wire::ChunkTimes& times);
  void EndRequest(stream::Ending ending);

  std::mutex mutex_;  // guards room_ between Cancel and Close
  PullRegistry* room_;
  const std::shared_ptr<MessageSink> other_;
  const ServedSinkOptions options_;
  PullRegistry::Stop stop_;
  std::atomic<bool> cancelled_ = false;
  bool wanted_ = true;  // the other sink wants more
  uint64_t request_ = 0;
  int audio_rate_hz_ = 0;
  int64_t messages_ = 0;
  std::optional<wire::Message> held_;  // a status that no message has followed yet
  Pacer pace_;                         // of playback
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_PULLS_SERVED_SINK_H_
