// AnimationDataService for a process that makes streams (Pull), or takes them (Push): the calls,
// and what is checked of them before anybody else sees them. anim_graph has calls of its own.
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

// Who makes the messages of pulls. Its methods come on any thread.
class PullServer {
 public:
  virtual ~PullServer() = default;
  // An error ends the call.
  virtual absl::Status OpenPull(const wire::StreamIds& ids,
                                std::shared_ptr<stream::PullStream> pull) = 0;
  // The call is over. Follows each OpenPull that was OK.
  virtual void ClosePull(stream::PullStream* pull) = 0;
  // Something was written: the pull has room again.
  virtual void OnRoom() = 0;
};

// Who takes the messages of one push, one at a time. Its methods come on any thread, and never two
// at once.
class PushTaker {
 public:
  virtual ~PushTaker() = default;
  // A message that keeps the rules of docs/protocol.md, never a header. Its bytes may be kept, and
  // its chunk taken against another whose memory is used for the next. True: read on. False: ReadOn
  // of its peer says when to.
  virtual bool Take(wire::Message* message) = 0;
  // The source has sent all. The answer.
  virtual wire::StatusChunk HalfClosed() = 0;
  // The last call, and the only one that must come: how the call has ended, and `why` when that was
  // a fault. kHalfClosed only when the answer was sent before the connection ended
  // (docs/adr/0008-half-close-or-vanished.md).
  virtual void Over(stream::PushEnd end, const absl::Status& why) = 0;
};

struct TakenPush {
  std::unique_ptr<PushTaker> taker;
  // Of a request that goes on: every track is held up to here (below 0: nothing is held).
  std::optional<double> held_s;
  // False: `peer`'s ReadOn says when to read the first message.
  bool read_on = true;
};

// Who takes pushes. Its methods come on any thread.
class PushServer {
 public:
  virtual ~PushServer() = default;
  // `bytes` are the header as it came. An error ends the call. The peer does nothing once the call
  // is over.
  virtual absl::StatusOr<TakenPush> OpenPush(const wire::StreamHeader& header,
                                             const wire::MessageBytes& bytes,
                                             const stream::PushCallOptions& options,
                                             std::shared_ptr<stream::PushPeer> peer) = 0;
};

struct StreamServiceParts {
  PullServer* pulls = nullptr;     // null: Pull is UNIMPLEMENTED
  PushServer* pushes = nullptr;    // null: Push is UNIMPLEMENTED
  std::string elsewhere = {};      // what the method that is not served says: who serves it
  wire::ReaderLimits limits = {};  // of pushes
  std::shared_ptr<const stream::Authorizer> authorizer = std::make_shared<stream::AllowAll>();
  // Hears of pushes that are refused or end in a fault, and of what anybody throws: that ends its
  // call.
  Logger log = {};
};

// By gRPC's callback API, on its threads. To be registered with a GrpcHost; it, and what `parts`
// names, outlive that.
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
