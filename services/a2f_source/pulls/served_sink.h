// A request on its way to those who pull it.
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
  // Begin waits for the first pull, and the request's epoch is then.
  bool wait_for_pull = false;
  double wait_s = -1;  // negative: for ever; else Begin gives up with UNAVAILABLE
  // How far the other sink stays ahead of playing, however slow a pull is.
  double lead_s = 0;
};

// Sends each message to the other sink, when there is one, and then to the pulls, encoded once. A
// slow pull is waited for only as long as what is sent lies ahead of its time at speed 1, by more
// than lead_s; after that the rules of stream::PullQueue take hold, and nobody else is disturbed.
// Cancel may come from any thread; all else is one thread's.
class ServedSink : public MessageSink {
 public:
  // `other` may be null. `room` outlives this.
  ServedSink(PullRegistry* room, std::shared_ptr<MessageSink> other, ServedSinkOptions options)
      : room_(room), other_(std::move(other)), options_(options), pace_(1, options.lead_s) {}
  ~ServedSink() override { Close(); }

  absl::Status Begin(const wire::StreamHeader& header) override;
  // Pulls get a status when something comes behind it, or when it is an error. The last one says
  // how the request ends, which pulls are told by a status of their own.
  absl::StatusOr<bool> Send(const wire::Message& message) override;
  absl::StatusOr<std::string> End() override;

  // A request that was not ended has lost its source, or was stopped if it was cancelled. The room
  // may go then.
  void Close();

  // Ends the waits, and lets the request count as stopped. The other sink has a Cancel of its own.
  void Cancel();

 private:
  void SendHeldStatus();
  void SendToPulls(const wire::MessageBytes& bytes, const wire::ChunkTimes& times);
  void EndRequest(stream::Ending ending);

  std::mutex mutex_;  // of room_, between Cancel and Close
  PullRegistry* room_;
  const std::shared_ptr<MessageSink> other_;
  const ServedSinkOptions options_;
  PullRegistry::Stop stop_;
  std::atomic<bool> cancelled_ = false;
  bool wanted_ = true;  // by the other sink
  uint64_t request_ = 0;
  int audio_rate_hz_ = 0;
  int64_t messages_ = 0;
  std::optional<wire::Message> held_;  // a status that nothing has come behind yet
  Pacer pace_;                         // of playing
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_PULLS_SERVED_SINK_H_
