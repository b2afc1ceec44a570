// Takes what is pushed into the sink, and gives it on as the events of a pull.
//
// gRPC's threads put checked messages in, and the one thread of the consumer takes events out, so
// that recorder, page and the rest do not know whether they pull or are pushed to. In between
// stands a line of requests: the first is played, the others wait. A request that is full is not
// read any further until an event was taken, which its pusher feels as flow control; nothing is
// dropped. One that breaks off keeps its place for a while, and says what it holds to the call that
// goes on with it. docs/adr/0024-a-source-is-a-server.md.
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
  wire::StreamIds ids;  // what is taken; an empty id: any
  // True: messages are given by their codes, as they play. False: as they come.
  bool paced = false;
  double prebuffer_s = 0.1;  // held before a paced request starts, unless its push says otherwise
  // Messages that wait at most when they are given as they come.
  size_t most_waiting = 64;
  std::function<double()> now_s = client::SteadySeconds;
};

// NOT_FOUND that names the id when a push with these ids is not what `own` asks for.
absl::Status CheckTaken(const wire::StreamIds& own, const wire::StreamIds& ids);

// Takes pushes until it is closed.
class ClosablePushes : public service::PushServer {
 public:
  // Takes nothing any more: open pushes are answered.
  virtual void Close(const stream::PushAnswer& answer) = 0;
};

// Requests are taken one after the other, by the rules of docs/protocol.md. Behind the one whose
// turn it is, up to kMaxQueuedRequests wait, and are read as far ahead as it is: by most_waiting
// messages, or when they are paced by kBuffer_s, and never by more than kBufferBytes. So the pusher
// feels how fast the events are taken.
//
// A request is a header, data and statuses, and kEnd: with the last status, or ERROR when its
// source was lost. One that is lost waits up to kResume_s for its source, or until another request
// wants its place. Methods come on any thread, but Next on one.
// Calls that are open keep an inbox alive that a shared_ptr holds; of any other, its owner sees to
// it that they are over.
class PushInbox : public ClosablePushes, public std::enable_shared_from_this<PushInbox> {
 public:
  explicit PushInbox(PushInboxOptions options) : options_(std::move(options)) {}

  // PushServer
  absl::StatusOr<service::TakenPush> OpenPush(const wire::StreamHeader& header,
                                              const wire::MessageBytes& bytes,
                                              const stream::PushCallOptions& options,
                                              std::shared_ptr<stream::PushPeer> peer) override;

  void Close(const stream::PushAnswer& answer) override;

  // As of PullClient: the next event; false when none comes in `timeout_s`. Close ends the wait.
  bool Next(double timeout_s, client::PullEvent* event);
  // No request is there, or waits.
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
    bool begun = false;  // its header has been given
    Items items;
    size_t bytes = 0;  // that items take
    stream::HeldTracks held;
    bool resumed = false;
    bool catching_up = false;  // no data has come that was not held when it was resumed
    int64_t messages = 0;
    State state = State::kOpen;
    std::optional<wire::StatusChunk> last_status;  // told at its end
    wire::MessageBytes last_status_bytes;
    uint64_t call = 0;                       // the newest
    std::shared_ptr<stream::PushPeer> peer;  // of the call that is open
    bool paused = false;                     // the peer waits for ReadOn
    bool tell_lost = false;
    double lost_s = 0;
    double heard_s = 0;
    // Of a paced request.
    bool paced = false;
    double prebuffer_s = 0;
    std::optional<double> zero_s;  // the time of code 0, while it plays
    bool dry = false;
    double first_data_s = -1;  // when it came, of what is not played yet
    double newest_time_code_s = 0;
  };
  class Taker;

  // The request goes on, or an error. With mutex_ held, as all that follows.
  absl::Status Resume(Request& request, const wire::StreamHeader& header, bool resume);
  std::shared_ptr<Request> FindRequest(const wire::StreamIds& ids) const;
  void Interrupt();
  bool Take(Request& request, uint64_t call, wire::Message* message);
  // Whether the message is held already, as some are that come again after a break.
  bool IsHeld(Request& request, const wire::Message& message) const;
  bool IsFull(const Request& request) const;
  static size_t SizeOf(const Item& item);
  void Over(Request& request, uint64_t call, stream::PushEnd end, const absl::Status& why);
  // The next event that is due; else false, and when to look again.
  bool Look(double now_s, double& again_s, client::PullEvent* event);
  bool IsDue(Request& request, double now_s, double& again_s);
  void Give(Request& request, double now_s, client::PullEvent* event);
  void CheckSilence(Request& request, double now_s);
  void EndFront(client::PullEvent* event);

  const PushInboxOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Request>> line_;  // the first has its turn
  stream::RequestMemory<std::monostate> remembered_;
  Items spare_;  // for their memory; a few
  uint64_t next_call_ = 1;
  int connections_ = 0;
  std::optional<stream::PushAnswer> closed_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_PUSHES_PUSH_INBOX_H_
