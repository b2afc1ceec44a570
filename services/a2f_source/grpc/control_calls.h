// Calls to a compositor's ControlService that do not hold up their caller.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_CONTROL_CALLS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_CONTROL_CALLS_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "libs/client/connection.h"

namespace posewire::a2f_source {

// Thread-safe. The destructor cancels what is under way and waits for it. Each call may take 2 s.
// `done` is called once, on any thread, with what the compositor says: UNIMPLEMENTED where there is
// no such service, UNAVAILABLE when it is not there.
class ControlCalls {
 public:
  using Done = std::function<void(const absl::Status&)>;

  // No call is made yet.
  explicit ControlCalls(const client::ConnectionOptions& options);
  ~ControlCalls();
  ControlCalls(const ControlCalls&) = delete;
  ControlCalls& operator=(const ControlCalls&) = delete;

  // Ends a request. NOT_FOUND for one that the compositor does not have.
  void Stop(const std::string& stream_id, const std::string& request_id, Done done);
  // Sets a variable of the graph, for one avatar.
  void SetVariable(const std::string& stream_id, const std::string& target_id,
                   const std::string& name, const std::string& value, Done done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_CONTROL_CALLS_H_
