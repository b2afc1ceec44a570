// Sends what a session puts out: requests to their sink, users and events to the control service.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_LIVE_LIVE_OUTPUT_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_LIVE_LIVE_OUTPUT_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "libs/client/control_client.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/a2f_source/core/vmc_session.h"
#include "services/a2f_source/live/request_writer.h"
#include "services/a2f_source/live/run_live.h"
#include "services/a2f_source/pulls/pull_registry.h"

namespace posewire::a2f_source {

// Sends requests directly (a file, a burst) or through a queue. One thread calls the methods.
class LiveOutput : public VmcOutput {
 public:
  // `room` may be null: then nothing can be pulled.
  LiveOutput(const LiveRunSettings& settings, PullRegistry* room, bool at_once,
             service::Process& process, const service::Logger& log);
  ~LiveOutput() override;

  void Begin(const wire::StreamHeader& header) override { Put(BeginRequest{header}); }
  void Frame(wire::Message message) override { Put(std::move(message)); }
  void End() override { Put(EndRequest{}); }
  void User(const VmcUser& user) override;
  void Event(const std::string& name) override;
  void Variable(const std::string& name, float value) override;
  void Prop(const VmcProp& prop) override;
  void Told(const std::string& what, const std::string& value) override;

  absl::Status status() const { return queue_ ? queue_->status() : status_; }
  uint64_t dropped() const { return queue_ ? queue_->dropped() : 0; }
  // Waits until queued steps are done, with a time limit.
  void Close();
  // Returns a function that cancels the current push. It may be called on any thread, and outlive
  // this.
  std::function<void()> Canceller() const;

 private:
  struct CurrentPush;
  void Put(RequestStep step);
  void OnControlError(const std::string& call, const absl::Status& why);

  service::Logger log_;
  std::shared_ptr<CurrentPush> push_;
  std::optional<RequestWriter> writer_;
  absl::Status status_;
  std::map<std::string, double> next_errors_s_;  // by call; used by the control client's thread
  std::optional<RequestQueue> queue_;
  std::optional<client::ControlClient> control_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_LIVE_LIVE_OUTPUT_H_
