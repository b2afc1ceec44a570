// The pushes of an engine: from a call's header to its answer.
//
// A push opens a request of its stream, or goes on with one that broke off. What it brings goes
// into the request's playback, which its avatar plays; a full playback is not fed until it has
// room, and the peer is told when. A source that says nothing for long, though it is its turn, is
// given up. A push that breaks off leaves its request playing what it holds (docs/adr/0039), and a
// half-close may turn out to have been a break (docs/adr/0008). docs/protocol.md, Requests and
// Push, has the rules.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PUSH_LEDGER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PUSH_LEDGER_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/stream/call_options.h"
#include "libs/stream/push_peer.h"
#include "libs/wire/chunk.h"
#include "libs/wire/source_binding.h"
#include "services/anim_graph/core/call_context.h"
#include "services/anim_graph/core/pull_ledger.h"
#include "services/anim_graph/core/streams.h"

namespace posewire::anim_graph {

struct PushOpened {
  uint64_t call = 0;
  std::optional<double>
      held_s;  // of a resumed request: every track is held up to here (-1: nothing)
};

// Peers are called from its methods, and not any more once they are finished or have ended. Ids of
// pushes that have ended are ignored. One thread.
class PushLedger {
 public:
  // All outlive it. `pulls` hear of requests that come.
  PushLedger(const EngineParts* parts, Streams* streams, PullLedger* pulls,
             EngineCounters* counters)
      : parts_(*parts),
        settings_(*parts->settings),
        streams_(*streams),
        pulls_(*pulls),
        counters_(*counters) {}

  absl::StatusOr<PushOpened> Open(const wire::StreamHeader& header,
                                  const stream::PushCallOptions& options, stream::PushPeer* peer,
                                  Now now);
  // True: read on. False: the peer is told when to.
  bool Offer(uint64_t push, const wire::DataChunk& chunk, double now_s);
  void OfferStatus(uint64_t push, double now_s);
  // As of Engine.
  wire::StatusChunk End(uint64_t push, stream::PushEnd end, const absl::Status& why);
  void SourceVanished(uint64_t push, const wire::StreamIds& ids);
  void Refuse(const CallContext& context, const absl::Status& why);
  int size() const { return static_cast<int>(requests_.size()); }

  // Ends the push of a request, if it is open; the request may be gone then, when it is over.
  void Finish(Request& request, const stream::PushAnswer& answer);
  // Ends all pushes to `of` (null: to all streams).
  void FinishAll(const Stream* of, const stream::PushAnswer& answer);
  // The request has played. A push that is still open is counted to its end.
  void RequestOver(Request& request);

  // Between two ticks of the avatar: who was paused reads on where there is room.
  void ReadOn(StreamAvatar& avatar, double now_s);
  // Gives up the sources that are silent.
  void CheckSilence(double now_s);

  // Why a push ended that was cut off.
  static absl::Status BrokenOff();

 private:
  // Null: it is a new request.
  absl::StatusOr<Request*> Resume(const Stream& stream, const wire::StreamHeader& header,
                                  bool resume);
  absl::StatusOr<Request*> Begin(Stream& stream, const wire::StreamHeader& header,
                                 const stream::PushCallOptions& options, Now now);
  absl::StatusOr<PlanPtr> PlanOfNames(const wire::StreamHeader& header) const;
  Request* Find(uint64_t push) const;
  // `wait_s`: how long it rests for its source.
  void MarkLost(Request& request, const absl::Status& why, double wait_s);
  bool HasEndToTell(const wire::StreamIds& ids) const;

  const EngineParts& parts_;
  const EngineSettings& settings_;
  Streams& streams_;
  PullLedger& pulls_;
  EngineCounters& counters_;
  wire::BindingCache bindings_;                       // of the headers
  absl::flat_hash_map<uint64_t, Request*> requests_;  // by their open pushes
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PUSH_LEDGER_H_
