// The pulls of an engine: which messages each one gets, and when it starts and ends.
//
// A pull belongs to one avatar for its lifetime, and gets its header as soon as the avatar is
// known. A pull by stream gets each tick from then on. A pull with a request id is a window: it
// waits until a push opens the request, gets the ticks that the request plays, and then the final
// status. Each frame is encoded once and shared by reference. A consumer that is too slow is
// disconnected without affecting others. docs/protocol.md, Pull, has the rules.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PULL_LEDGER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PULL_LEDGER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/stream/call_options.h"
#include "libs/stream/frame_sink.h"
#include "libs/wire/chunk.h"
#include "services/anim_graph/core/streams.h"

namespace posewire::anim_graph {

struct Pull {
  stream::FrameSink* sink;
  wire::StreamIds ids;
  double opened_s;
  std::shared_ptr<const skel::Rig> rig;  // null: the avatar's
  bool contributions = false;
  wire::PoseForm form = wire::PoseForm::kComplete;
  Stream* stream = nullptr;
  StreamAvatar* avatar = nullptr;  // null until it is known
  Avatar::OutputFormat* output_format = nullptr;
  const Request* request = nullptr;  // for windows: from the request's arrival until it is over
  bool open = false;                 // frames are being sent
  bool finished = false;             // removed by the next Sweep
  bool incomplete = false;           // the next frame must leave nothing out
  stream::Reservation place = stream::Reservation();

  bool window() const { return !ids.request_id.empty(); }
};

// Sinks are called from the methods of this class, and never after they are finished or closed. Ids
// of pulls that have ended are ignored. One thread.
class PullLedger {
 public:
  // All arguments must outlive the ledger.
  PullLedger(const EngineParts* parts, Streams* streams, EngineCounters* counters)
      : parts_(*parts), streams_(*streams), counters_(*counters) {}

  absl::StatusOr<uint64_t> Open(const wire::StreamIds& ids, const stream::PullCallOptions& options,
                                stream::FrameSink* sink, Now now);
  void Close(uint64_t pull);
  int size() const { return static_cast<int>(pulls_.size()); }

  // Call when a request changes state. Windows wait for their request, open at its first tick, and
  // end with it.
  void RequestCame(Request& request, double now_s);
  void RequestStarted(const Request& request, const wire::EncodedFrame& status, double now_s);
  void RequestOver(const Request& request, double now_s);
  // Sends the frame of the avatar's tick to the request's windows, which would end without it.
  // Returns how many there are.
  int SendLastFrame(const Request& request, double now_s);

  // SendToAll sends a status to all pulls of the avatar. SendFrames sends the frame of its tick to
  // the open ones, and returns how many there are.
  void SendToAll(const StreamAvatar& avatar, const wire::EncodedFrame& status, double now_s);
  int SendFrames(StreamAvatar& avatar, double now_s);

  // Ends windows that have waited too long for their request.
  void CheckWaiting(double now_s);
  // Ends all pulls of `of` (null: of all streams), after sending `last`.
  void FinishAll(const Stream* of, const wire::EncodedFrame& last, const absl::Status& status,
                 Now now);
  // Removes pulls that have finished since the last call.
  void Sweep();

 private:
  absl::StatusOr<StreamAvatar*> AvatarFor(const Pull& pull, const Request* request, Now now);
  absl::Status Bind(Pull& pull, StreamAvatar& avatar, const Request* request, double now_s);
  void Attach(Pull& pull, const Request& request);
  static void StartFrames(Pull& pull);  // from the next one on
  void SendHeader(Pull& pull, double epoch_s, double now_s);
  void CloseOver(Pull& pull, const RequestEnd& end, double now_s);
  void Send(Pull& pull, const wire::EncodedFrame& frame, double now_s);
  void SendFrame(Pull& pull, double now_s);
  static void SetIncomplete(Pull& pull, bool incomplete);
  void Finish(Pull& pull, const absl::Status& status);

  const EngineParts& parts_;
  Streams& streams_;
  EngineCounters& counters_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Pull>> pulls_;
  bool sweep_ = false;  // at least one pull has finished
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PULL_LEDGER_H_
