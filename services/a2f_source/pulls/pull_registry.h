// The open pulls of a source, shared by the threads of their calls and those that make the
// messages.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_PULLS_PULL_REGISTRY_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_PULLS_PULL_REGISTRY_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "libs/service/logger.h"
#include "libs/service/stream/stream_service.h"
#include "libs/stream/broadcast.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_writer.h"

namespace posewire::a2f_source {

// Thread-safe.
class PullRegistry : public service::PullServer {
 public:
  explicit PullRegistry(service::Logger log) : log_(std::move(log)) {}
  // All calls must have ended.
  ~PullRegistry() override;

  // Keeps the stream known for the life of the process.
  void AddStream(const std::string& stream_id);
  // Keeps the stream known until stream::kRemember_s after the last call for it.
  void RememberStream(const std::string& stream_id);

  // PullServer
  absl::Status OpenPull(const wire::StreamIds& ids,
                        std::shared_ptr<stream::PullStream> pull) override;
  void ClosePull(stream::PullStream* pull) override;
  void OnRoom() override;

  // Ends waits, from any thread; each wait has its own.
  class Stop {
   public:
    void Request(PullRegistry& room);

   private:
    friend class PullRegistry;
    bool requested_ = false;  // guarded by the registry's mutex_
  };

  // Waits until a client pulls the request with these ids. CANCELLED if it is stopped, UNAVAILABLE
  // after `timeout_s` (negative: never).
  absl::Status WaitForPull(const wire::StreamIds& ids, double timeout_s, const Stop& stop);

  // See Broadcast.
  uint64_t Begin(const wire::StreamIds& ids, double epoch_s, std::string layout,
                 stream::Broadcast::MakeHeader header);
  double ShiftOf(uint64_t request, double first_time_code_s);
  // Sends a message to the request's pulls. Waits, until `until_s` at the longest, while a pull of
  // the request has several queued messages.
  void Send(uint64_t request, const wire::EncodedFrame& message, double end_s, double until_s,
            const Stop& stop);
  void End(uint64_t request, stream::Ending ending);

  // Ends all pulls, in order or because the process is shutting down, and waits up to `budget_s`
  // until their remaining messages are written.
  void Close(double budget_s);
  void Drain(double budget_s);

 private:
  void Run();
  void WaitEmpty(std::unique_lock<std::mutex>& lock, double budget_s);

  const service::Logger log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  stream::Broadcast broadcast_;  // guarded by mutex_
  int calls_ = 0;                // guarded by mutex_
  bool ended_ = false;           // guarded by mutex_: rejects new pulls
  bool stopping_ = false;        // guarded by mutex_
  std::thread thread_;           // calls Tick, from the first pull on; guarded by mutex_
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_PULLS_PULL_REGISTRY_H_
