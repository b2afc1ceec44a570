// The pulls of an engine: who gets which messages, and from when to when.
//
// A pull belongs to one avatar for life, and gets its header as soon as that is known. One by
// stream gets each tick from then on. One with a request id is a window: it waits until a push
// brings the request, gets the ticks that the request plays, and its last status. What is encoded
// once goes to all by reference; a consumer that does not take it is ended and nobody else
// disturbed. docs/protocol.md, Pull, has the rules.
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
  Stream* stream = nullptr;
  StreamAvatar* avatar = nullptr;  // once it is known
  Avatar::Layout* layout = nullptr;
  const Request* request = nullptr;  // of a window, once it has come and until it is over
  bool open = false;                 // frames flow
  bool finished = false;             // to be swept
  stream::Share place = stream::Share();

  bool window() const { return !ids.request_id.empty(); }
};

// Sinks are called from its methods, and not any more once they are finished or closed. Ids of
// pulls that have ended are ignored. One thread.
class PullLedger {
 public:
  // All outlive it.
  PullLedger(const EngineParts* parts, Streams* streams, EngineCounters* counters)
      : parts_(*parts), streams_(*streams), counters_(*counters) {}

  absl::StatusOr<uint64_t> Open(const wire::StreamIds& ids, const stream::PullCallOptions& options,
                                stream::FrameSink* sink, Now now);
  void Close(uint64_t pull);
  int size() const { return static_cast<int>(pulls_.size()); }

  // What becomes of a request: windows wait for it, open at its first tick, and end with it.
  void RequestCame(Request& request, double now_s);
  void RequestStarted(const Request& request, const wire::EncodedFrame& status, double now_s);
  void RequestOver(const Request& request, double now_s);

  // To all pulls of the avatar, and the frame of its tick to those that are open: how many.
  void SendToAll(const StreamAvatar& avatar, const wire::EncodedFrame& status, double now_s);
  int SendFrames(StreamAvatar& avatar, double now_s);

  // Ends the windows that have waited too long.
  void CheckWaiting(double now_s);
  // Ends all pulls of `of` (null: of all streams), each behind a last word.
  void FinishAll(const Stream* of, const wire::EncodedFrame& last, const absl::Status& status,
                 Now now);
  // Forgets those that have finished since it was called last.
  void Sweep();

 private:
  absl::StatusOr<StreamAvatar*> AvatarFor(const Pull& pull, const Request* request, Now now);
  absl::Status Bind(Pull& pull, StreamAvatar& avatar, const Request* request, double now_s);
  void Attach(Pull& pull, const Request& request);
  void SendHeader(Pull& pull, double epoch_s, double now_s);
  void CloseOver(Pull& pull, const RequestEnd& end, double now_s);
  void Send(Pull& pull, const wire::EncodedFrame& frame, double now_s);
  void Finish(Pull& pull, const absl::Status& status);

  const EngineParts& parts_;
  Streams& streams_;
  EngineCounters& counters_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Pull>> pulls_;
  bool sweep_ = false;  // a pull has finished
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PULL_LEDGER_H_
