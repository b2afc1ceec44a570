// The pulls of a process that makes its streams itself, by the rules of docs/protocol.md.
//
// anim_graph ticks, and asks each avatar what to send. Here nothing ticks: a message comes from its
// maker, encoded, and is offered at once to every pull that is to have it. What this adds is what a
// single request does not know: who pulls which avatar, how the codes of one request go on behind
// those of the one before, and what a late pull hears of a request that is over.
// docs/adr/0024-a-source-is-a-server.md says why the rules live here and not in the engine.
#ifndef POSEWIRE_LIBS_STREAM_BROADCAST_H_
#define POSEWIRE_LIBS_STREAM_BROADCAST_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/stream/frame_sink.h"
#include "libs/stream/request_end.h"
#include "libs/stream/request_memory.h"
#include "libs/wire/chunk.h"

namespace posewire::stream {

// Whoever makes a stream begins requests, sends their messages, and ends them; each message is
// encoded once, and goes to every pull that is to have it. An avatar is a stream and a target; it
// has one request at a time, and one line of codes that never goes back: the first request's codes
// pass as they are, those of later requests are shifted by the difference of their epochs, and
// further where the request before them reached beyond that.
//
// A pull by stream goes on over requests. When one comes with another header, which a pull cannot
// have twice, it ends UNAVAILABLE: pulled again, it gets that header.
//
// A machine without threads and clocks: times are seconds of a clock that does not go back. One
// thread. Sinks are called from its methods.
class Broadcast {
 public:
  // A header with the ids of one pull, and the epoch of its codes.
  using MakeHeader = std::function<wire::EncodedFrame(const wire::StreamIds& ids, double epoch_s)>;

  // A stream that pulls may wait for before its first request comes, until `until_s`. Any other is
  // NOT_FOUND, but for those whose requests are remembered.
  void AddStream(absl::string_view stream_id,
                 double until_s = std::numeric_limits<double>::infinity());

  // --- Pulls. Errors: NOT_FOUND for a stream that is not this process's; INVALID_ARGUMENT for a
  // target that does not fit.
  absl::Status OpenPull(const wire::StreamIds& ids, std::shared_ptr<PullStream> sink, double now_s);
  // The consumer has gone.
  void ClosePull(const PullStream* sink);
  int pulls() const { return static_cast<int>(pulls_.size()); }
  // Whether a request with these ids would be sent to somebody.
  bool IsWanted(const wire::StreamIds& ids) const;

  // --- Requests
  // `layout` is equal for headers that differ in ids and epoch alone. What the avatar still plays
  // is interrupted. The result names the request from then on.
  uint64_t Begin(const wire::StreamIds& ids, double epoch_s, std::string layout, MakeHeader header,
                 double now_s);
  // What is to be added to a code of the request. `first_code_s`: the first one that is sent.
  double ShiftOf(uint64_t request, double first_code_s);
  // A message with moved codes, which reach up to `end_s` (minus infinity: it has none).
  void Send(uint64_t request, const wire::EncodedFrame& message, double end_s, double now_s);
  // How many messages wait for the slowest pull of the request.
  size_t Waiting(uint64_t request) const;
  // kEnded, kStopped, kInterrupted or kLost. A request that is over already stays as it is.
  void End(uint64_t request, Ending ending, double now_s);

  // --- Time
  // Ends pulls that waited too long for their request. Several times a second.
  void Tick(double now_s);
  // No stream goes on: pulls by stream end in order, or with ERROR where the last request lost its
  // source, and those that wait for a request NOT_FOUND.
  void Close(double now_s);
  // The process is going: INFO, and UNAVAILABLE.
  void Drain(double now_s);

 private:
  struct Avatar;
  struct Stream;
  // What is asked of a request, and remembered when it is over.
  struct Known {
    std::string target;
    double epoch_s = 0;  // of its avatar's line
    std::shared_ptr<const MakeHeader> header;
    Ending ending = Ending::kNone;
  };
  // One that goes on.
  struct Request {
    std::string id;
    Known known;
    Stream* stream = nullptr;
    Avatar* avatar = nullptr;
    std::optional<double> shift_s;
    double lag_s = 0;       // its epoch against that of the line
    bool told = false;      // the status that it starts has gone out
    bool replaced = false;  // another one has begun under its id
  };
  struct Avatar {
    std::string target;
    std::optional<double> epoch_s;  // of code 0 of its line; with its first request
    double end_s = 0;               // of what its line holds
    bool any_code = false;
    std::string layout;
    std::shared_ptr<const MakeHeader> header;  // of the newest request
    uint64_t playing = 0;                      // its request; 0: none
    Ending last = Ending::kNone;               // how the request before ended
  };
  struct Stream {
    std::vector<std::unique_ptr<Avatar>> avatars;  // the first is the default
    RequestMemory<Known> ended;
    double kept_until_s = -std::numeric_limits<double>::infinity();  // by AddStream
  };
  struct Pull {
    std::shared_ptr<PullStream> sink;
    wire::StreamIds ids;
    double opened_s = 0;
    Avatar* avatar = nullptr;  // once the header has gone out
    uint64_t request = 0;      // of a window, once it has come
    bool window() const { return !ids.request_id.empty(); }
    bool Has(const Avatar* of, uint64_t number) const {
      return avatar == of && (!window() || request == number);
    }
  };

  Request* Find(uint64_t number);
  Request* FindOpen(const Stream& stream, absl::string_view id);
  Stream* FindStream(absl::string_view stream_id);
  Avatar* FindAvatar(Stream& stream, absl::string_view target);
  // OK when the pull names this avatar, or none.
  static bool Names(const Stream& stream, const Avatar& avatar, const wire::StreamIds& ids);
  void Bind(Pull& pull, Avatar& avatar, const Request* request, double now_s);
  void Offer(Pull& pull, const wire::EncodedFrame& frame, double now_s);
  void Finish(Pull& pull, const absl::Status& status);
  // Forgets the pulls that were finished.
  void Sweep();
  void ForgetOldRequests(double now_s);

  std::map<std::string, Stream, std::less<>> streams_;
  std::map<uint64_t, Request> open_;  // by number
  std::vector<std::unique_ptr<Pull>> pulls_;
  uint64_t next_number_ = 1;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_BROADCAST_H_
