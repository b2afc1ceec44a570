// Sends users, events, variables and the places of props to a compositor without blocking its
// caller.
#ifndef POSEWIRE_LIBS_CLIENT_CONTROL_CLIENT_H_
#define POSEWIRE_LIBS_CLIENT_CONTROL_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "libs/client/connection.h"
#include "posewire.control.v1.pb.h"

namespace posewire::client {

struct ControlOptions {
  ConnectionOptions connection;  // reconnects forever; on_event is not used
  std::string stream_id;
  double call_timeout_s = 1;
  // Called on the client's own thread when a call fails, with "FireEvent", "SetVariable", "SetUser"
  // or "MoveProp" and the error.
  std::function<void(const std::string& call, const absl::Status& why)> on_error;
};

// Calls are made one at a time on the client's own thread. While a call is in progress, only the
// latest state of each user, variable and prop is kept (at most 64 of each), and up to 64 events
// wait; further ones are dropped and counted. Methods may be called on any thread.
class ControlClient {
 public:
  explicit ControlClient(ControlOptions options);
  // Cancels the call in progress, and drops waiting ones.
  ~ControlClient();

  void SetUser(const posewire::control::v1::User& user);
  void FireEvent(const std::string& event);
  // `value` as text, as in SetVariableRequest.
  void SetVariable(const std::string& name, const std::string& value);
  // The prop's name, and its new place.
  void MoveProp(const posewire::control::v1::MovePropRequest& place);

  struct Counters {
    uint64_t calls = 0;
    uint64_t failed = 0;
    uint64_t dropped = 0;
  };
  Counters counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_CONTROL_CLIENT_H_
