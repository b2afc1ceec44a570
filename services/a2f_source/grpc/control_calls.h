// Asynchronous calls to a compositor's ControlService.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_CONTROL_CALLS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_CONTROL_CALLS_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "libs/client/connection.h"

namespace posewire::a2f_source {

// Thread-safe. The destructor cancels open calls and waits for them. Each call may take 2 s. `done`
// is called once, on any thread, with the compositor's status: UNIMPLEMENTED if it has no such
// service, UNAVAILABLE if it is not reachable.
class ControlCalls {
 public:
  using Done = std::function<void(const absl::Status&)>;

  // Makes no call yet.
  explicit ControlCalls(const client::ConnectionOptions& options);
  ~ControlCalls();
  ControlCalls(const ControlCalls&) = delete;
  ControlCalls& operator=(const ControlCalls&) = delete;

  // Ends a request. NOT_FOUND if the compositor does not have it.
  void Stop(const std::string& stream_id, const std::string& request_id, Done done);
  // Sets a variable of the graph for one avatar.
  void SetVariable(const std::string& stream_id, const std::string& target_id,
                   const std::string& name, const std::string& value, Done done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_CONTROL_CALLS_H_
