// AnimationDataService for a process that produces streams (Pull) or receives them (Push): handles
// the calls and checks their contents before passing them on. anim_graph has its own calls.
#ifndef POSEWIRE_LIBS_SERVICE_STREAM_STREAM_SERVICE_H_
#define POSEWIRE_LIBS_SERVICE_STREAM_STREAM_SERVICE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/service/logger.h"
#include "libs/stream/access.h"
#include "libs/stream/call_options.h"
#include "libs/stream/frame_sink.h"
#include "libs/stream/push_peer.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/message.h"

namespace grpc {
class Service;
}  // namespace grpc

namespace posewire::service {

// Produces the messages of pulls. Its methods are called on any thread.
class PullServer {
 public:
  virtual ~PullServer() = default;
  // An error ends the call.
  virtual absl::Status OpenPull(const wire::StreamIds& ids,
                                std::shared_ptr<stream::PullStream> pull) = 0;
  // The call is over. Called once for each successful OpenPull.
  virtual void ClosePull(stream::PullStream* pull) = 0;
  // A message was written: the pull has room again.
  virtual void OnRoom() = 0;
};

// Receives the messages of one push, one at a time. Its methods are called on any thread, and never
// concurrently.
class PushTaker {
 public:
  virtual ~PushTaker() = default;
  // Receives a message that conforms to docs/protocol.md, never a header. May keep its bytes, and
  // may swap its chunk with another one, whose memory is reused for the next message. True:
  // continue reading. False: stop until ReadOn of its peer is called.
  virtual bool Take(wire::Message* message) = 0;
  // The source has sent everything. Returns the response.
  virtual wire::StatusChunk HalfClosed() = 0;
  // The last call, and the only one that always happens: reports how the call ended, and `why` if
  // that was a fault. kHalfClosed only if the response was sent before the connection ended
  // (docs/adr/0008-half-close-or-vanished.md).
  virtual void Over(stream::PushEnd end, const absl::Status& why) = 0;
};

struct TakenPush {
  std::unique_ptr<PushTaker> taker;
  // For a resumed request: every track has been received up to here (below 0: nothing).
  std::optional<double> received_until_s;
  // False: reading starts when `peer`'s ReadOn is called.
  bool read_on = true;
};

// Receives pushes. Its methods are called on any thread.
class PushServer {
 public:
  virtual ~PushServer() = default;
  // `bytes` is the header as received. An error ends the call. `peer` does nothing after the call
  // is over.
  virtual absl::StatusOr<TakenPush> OpenPush(const wire::StreamHeader& header,
                                             const wire::MessageBytes& bytes,
                                             const stream::PushCallOptions& options,
                                             std::shared_ptr<stream::PushPeer> peer) = 0;
};

struct StreamServiceParts {
  PullServer* pulls = nullptr;     // null: Pull is UNIMPLEMENTED
  PushServer* pushes = nullptr;    // null: Push is UNIMPLEMENTED
  std::string elsewhere = {};      // error text for the method that is not served: names the server
                                   // for it
  wire::ReaderLimits limits = {};  // for pushes
  std::shared_ptr<const stream::Authorizer> authorizer = std::make_shared<stream::AllowAll>();
  // Logs pushes that are rejected or end with a fault, and exceptions, which end their call.
  Logger log = {};
};

// Uses gRPC's callback API, on gRPC's threads. Register it with a GrpcHost; it and all that `parts`
// refers to must outlive that host.
class StreamService {
 public:
  explicit StreamService(StreamServiceParts parts);
  ~StreamService();
  grpc::Service* service();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_STREAM_STREAM_SERVICE_H_
