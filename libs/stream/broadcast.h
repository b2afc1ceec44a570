// The pulls of a process that produces its own streams, by the rules of docs/protocol.md.
//
// anim_graph ticks, and encodes each avatar's frame at its tick. Here nothing ticks: the producer
// passes an encoded message, which is offered immediately to every pull that should get it.
// Broadcast adds what a single request does not know: which pulls belong to which avatar, how the
// time codes of one request continue after those of the previous one, and which status a late pull
// gets for a request that is over. docs/adr/0024-a-source-is-a-server.md explains why these rules
// are here and not in the engine.
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

// The producer of a stream begins requests, sends their messages, and ends them. Each message is
// encoded once and shared by all pulls. An avatar is a stream and a target. It plays one request at
// a time, on one time line that never goes back: the first request's time codes are not changed;
// those of later requests are shifted by the difference of their epochs, or further if the previous
// request reached beyond that.
//
// A pull by stream continues over several requests. If a request has a different header, the pull
// ends with UNAVAILABLE, because a pull cannot get two headers; when the client pulls again, it
// gets the new header.
//
// A state machine without threads and clocks: times are seconds of a monotonic clock. Sinks are
// called from the methods of this class. One thread.
class Broadcast {
 public:
  // Makes a header with the ids of one pull, and the epoch of its time codes.
  using MakeHeader = std::function<wire::EncodedFrame(const wire::StreamIds& ids, double epoch_s)>;

  // Registers a stream, so that pulls may wait for its first request until `until_s`. Pulls of
  // other streams are NOT_FOUND, unless they have remembered requests.
  void AddStream(absl::string_view stream_id,
                 double until_s = std::numeric_limits<double>::infinity());

  // --- Pulls Errors: NOT_FOUND for a stream that this process does not have; INVALID_ARGUMENT for
  // a target that does not match.
  absl::Status OpenPull(const wire::StreamIds& ids, std::shared_ptr<PullStream> sink, double now_s);
  // The consumer has disconnected.
  void ClosePull(const PullStream* sink);
  int pulls() const { return static_cast<int>(pulls_.size()); }
  // Returns whether at least one pull would get a request with these ids.
  bool IsWanted(const wire::StreamIds& ids) const;

  // --- Requests Begins a request, and interrupts the one that the avatar is playing. `layout` is
  // equal for headers that differ only in ids and epoch. The result identifies the request in the
  // calls below.
  uint64_t Begin(const wire::StreamIds& ids, double epoch_s, std::string output_format,
                 MakeHeader header, double now_s);
  // Returns the shift to add to all time codes of the request. `first_time_code_s`: the first time
  // code that will be sent.
  double ShiftOf(uint64_t request, double first_time_code_s);
  // Sends a message with shifted time codes, which reach up to `end_s` (minus infinity if it has
  // none).
  void Send(uint64_t request, const wire::EncodedFrame& message, double end_s, double now_s);
  // Returns how many messages are waiting in the slowest pull of the request.
  size_t Waiting(uint64_t request) const;
  // `ending`: kEnded, kStopped, kInterrupted or kLost. Does nothing if the request is already over.
  void End(uint64_t request, Ending ending, double now_s);

  // --- Time Ends pulls that have waited too long for their request. Call several times a second.
  void Tick(double now_s);
  // No stream will continue. Pulls by stream end normally, or with status ERROR if the last request
  // lost its source. Pulls that wait for a request end with NOT_FOUND.
  void Close(double now_s);
  // The process is shutting down: ends pulls with status INFO, and UNAVAILABLE.
  void Drain(double now_s);

 private:
  struct Avatar;
  struct Stream;
  // The part of a request that is remembered after it is over.
  struct Known {
    std::string target;
    double epoch_s = 0;  // of its avatar's time line
    std::shared_ptr<const MakeHeader> header;
    Ending ending = Ending::kNone;
  };
  // A request that is not over.
  struct Request {
    std::string id;
    Known known;
    Stream* stream = nullptr;
    Avatar* avatar = nullptr;
    std::optional<double> shift_s;
    double lag_s = 0;       // its epoch relative to the time line's epoch
    bool told = false;      // the status that reports its start was sent
    bool replaced = false;  // another request has begun with its id
  };
  struct Avatar {
    std::string target;
    std::optional<double> epoch_s;  // Unix time of time code 0 of the time line; set by the first
                                    // request
    double end_s = 0;               // end of the data on the time line
    bool any_code = false;
    std::string output_format;
    std::shared_ptr<const MakeHeader> header;  // of the newest request
    uint64_t playing = 0;                      // number of its request; 0: none
    Ending last = Ending::kNone;               // how the previous request ended
  };
  struct Stream {
    std::vector<std::unique_ptr<Avatar>> avatars;  // the first one is the default
    RequestMemory<Known> ended;
    double kept_until_s = -std::numeric_limits<double>::infinity();  // set by AddStream
  };
  struct Pull {
    std::shared_ptr<PullStream> sink;
    wire::StreamIds ids;
    double opened_s = 0;
    Avatar* avatar = nullptr;  // set once the header is sent
    uint64_t request = 0;      // of a window, once the request has begun
    bool window() const { return !ids.request_id.empty(); }
    bool Has(const Avatar* of, uint64_t number) const {
      return avatar == of && (!window() || request == number);
    }
  };

  Request* Find(uint64_t number);
  Request* FindOpen(const Stream& stream, absl::string_view id);
  Stream* FindStream(absl::string_view stream_id);
  Avatar* FindAvatar(Stream& stream, absl::string_view target);
  // Returns OK if the pull names this avatar, or no target.
  static bool Names(const Stream& stream, const Avatar& avatar, const wire::StreamIds& ids);
  void Bind(Pull& pull, Avatar& avatar, const Request* request, double now_s);
  void Offer(Pull& pull, const wire::EncodedFrame& frame, double now_s);
  void Finish(Pull& pull, const absl::Status& status);
  // Removes pulls that have finished.
  void Sweep();
  void ForgetOldRequests(double now_s);

  std::map<std::string, Stream, std::less<>> streams_;
  std::map<uint64_t, Request> open_;  // by number
  std::vector<std::unique_ptr<Pull>> pulls_;
  uint64_t next_number_ = 1;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_BROADCAST_H_
