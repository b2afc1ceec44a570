// Asks a compositor to end requests, without holding up its caller.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_REQUEST_STOPPER_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_REQUEST_STOPPER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "libs/client/connection.h"

namespace posewire::a2f_source {

// Thread-safe. The destructor cancels what is under way and waits for it.
class RequestStopper {
 public:
  using Done = std::function<void(const absl::Status&)>;

  // No call is made yet.
  explicit RequestStopper(const client::ConnectionOptions& options);
  ~RequestStopper();
  RequestStopper(const RequestStopper&) = delete;
  RequestStopper& operator=(const RequestStopper&) = delete;

  // ControlService's StopRequest, within 2 s. `done` is called once, on any thread, with what the
  // compositor says: NOT_FOUND for a request that it does not have, UNIMPLEMENTED where there is no
  // such service, UNAVAILABLE when it is not there.
  void Stop(const std::string& stream_id, const std::string& request_id, Done done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_REQUEST_STOPPER_H_
