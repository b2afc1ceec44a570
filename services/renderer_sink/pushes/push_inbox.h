// Accepts pushes to the sink, and returns them as the events of a pull.
//
// gRPC's threads add checked messages, and the consumer's one thread takes events, so that
// recorder, page and the others need not distinguish pulls from pushes. In between is a queue of
// requests: the first is played, the others wait. A full request is not read any further until an
// event is taken, which its client sees as flow control; nothing is dropped. A broken request keeps
// its place for a while, and reports what it has to the call that resumes it.
// docs/adr/0024-a-source-is-a-server.md.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_PUSHES_PUSH_INBOX_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_PUSHES_PUSH_INBOX_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/client/pull_client.h"
#include "libs/service/stream/stream_service.h"
#include "libs/stream/request_memory.h"
#include "libs/stream/resume.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"

namespace posewire::renderer_sink {

struct PushInboxOptions {
  wire::StreamIds ids;  // what is accepted; an empty id: any
  // True: messages are returned at their time codes, as they play. False: as they arrive.
  bool paced = false;
  // buffered before a paced request starts, unless its push requests otherwise
  double prebuffer_s = 0.1;
  // Capacity per request, in messages, if they are returned as they arrive.
  size_t most_waiting = 64;
  std::function<double()> now_s = client::SteadySeconds;
};

// NOT_FOUND, with the id, if a push with these ids does not match `own`.
absl::Status CheckTaken(const wire::StreamIds& own, const wire::StreamIds& ids);

// Accepts pushes until it is closed.
class ClosablePushes : public service::PushServer {
 public:
  // Answers open pushes and accepts no more.
  virtual void Close(const stream::PushAnswer& answer) = 0;
};

// Requests are played one after the other, by the rules of docs/protocol.md. Up to
// kMaxQueuedRequests wait after the current one. Each request is read ahead by at most most_waiting
// messages, or if paced by kBuffer_s, and never by more than kBufferBytes. So clients are slowed to
// the speed at which events are taken.
//
// A request is a header, data and statuses, and kEnd: with the last status, or ERROR if its source
// was lost. A lost one waits up to kResume_s for its source, or until another request wants its
// place. Methods may be called on any thread, but Next on one.
// Open calls keep an inbox alive that is owned by a shared_ptr. The owner of any other inbox must
// ensure that its calls are over.
class PushInbox : public ClosablePushes, public std::enable_shared_from_this<PushInbox> {
 public:
  explicit PushInbox(PushInboxOptions options) : options_(std::move(options)) {}

  // PushServer
  absl::StatusOr<service::TakenPush> OpenPush(const wire::StreamHeader& header,
                                              const wire::MessageBytes& bytes,
                                              const stream::PushCallOptions& options,
                                              std::shared_ptr<stream::PushPeer> peer) override;

  void Close(const stream::PushAnswer& answer) override;

  // Like PullClient: the next event; false if none arrives within `timeout_s`. Close ends the wait.
  bool Next(double timeout_s, client::PullEvent* event);
  // Returns true if there is no request, current or queued.
  bool IsIdle() const;

 private:
  enum class State { kOpen, kSent, kEnded, kLost };
  struct Item {
    wire::Message message;
    double receive_s = 0;
    double time_code_s = 0;
  };
  // Items move from list to list, with their memory.
  using Items = std::list<Item>;
  struct Request {
    explicit Request(const wire::StreamHeader& h) : header(h), held(h.audio_rate_hz.value_or(0)) {}
    wire::StreamHeader header;
    wire::MessageBytes header_bytes;
    bool begun = false;  // its header has been returned
    Items items;
    size_t bytes = 0;  // used by items
    stream::HeldTracks held;
    bool resumed = false;
    bool catching_up = false;  // all data so far was already buffered when it was resumed
    int64_t messages = 0;
    State state = State::kOpen;
    std::optional<wire::StatusChunk> last_status;  // sent at its end
    wire::MessageBytes last_status_bytes;
    uint64_t call = 0;                       // the newest
    std::shared_ptr<stream::PushPeer> peer;  // of the open call
    bool paused = false;                     // the peer waits for ReadOn
    bool tell_lost = false;
    double lost_s = 0;
    double heard_s = 0;
    // For a paced request.
    bool paced = false;
    double prebuffer_s = 0;
    std::optional<double> zero_s;  // the time of time code 0, while it plays
    bool dry = false;
    double first_data_s = -1;  // arrival time of the first data, while it is not played yet
    double newest_time_code_s = 0;
  };
  class Taker;

  // Resumes the request, or returns an error. Requires mutex_, as do all below.
  absl::Status Resume(Request& request, const wire::StreamHeader& header, bool resume);
  std::shared_ptr<Request> FindRequest(const wire::StreamIds& ids) const;
  void Interrupt();
  bool Take(Request& request, uint64_t call, wire::Message* message);
  // Returns true if the message is buffered already, as some are that are sent again after a break.
  bool IsHeld(Request& request, const wire::Message& message) const;
  bool IsFull(const Request& request) const;
  static size_t SizeOf(const Item& item);
  void Over(Request& request, uint64_t call, stream::PushEnd end, const absl::Status& why);
  // Takes the next event that is due. Otherwise returns false, and when to check again.
  bool Look(double now_s, double& again_s, client::PullEvent* event);
  bool IsDue(Request& request, double now_s, double& again_s);
  void Give(Request& request, double now_s, client::PullEvent* event);
  void CheckSilence(Request& request, double now_s);
  void EndFront(client::PullEvent* event);

  const PushInboxOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Request>> line_;  // the first is played
  stream::RequestMemory<std::monostate> remembered_;
  Items spare_;  // a few, reused to avoid allocation
  uint64_t next_call_ = 1;
  int connections_ = 0;
  std::optional<stream::PushAnswer> closed_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_PUSHES_PUSH_INBOX_H_
