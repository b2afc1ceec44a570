// Tells a compositor where people are and fires events, without ever holding up its caller.
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
  ConnectionOptions connection;  // reconnects for ever; on_event is not used
  std::string stream_id;
  double call_timeout_s = 1;
  // Told on the client's own thread when a call failed: "FireEvent" or "SetUser", and why.
  std::function<void(const std::string& call, const absl::Status& why)> on_error;
};

// Calls go out one after the other on a thread of its own. Of each user only the newest place is
// kept while another call is under way (at most 64 users); of events up to 64 wait, further ones
// are dropped and counted. Methods may be called on any thread.
class ControlClient {
 public:
  explicit ControlClient(ControlOptions options);
  // Cancels the call under way; what waits is dropped.
  ~ControlClient();

  void SetUser(const posewire::control::v1::User& user);
  void FireEvent(const std::string& event);

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
