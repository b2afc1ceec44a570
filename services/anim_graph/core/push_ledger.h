// The pushes of an engine, from a call's header to its answer.
//
// A push opens a request of its stream, or resumes one that broke off. Its messages go into the
// request's playback, which an avatar plays. When a playback is full, reading stops, and the peer
// is called when there is room again. A source that sends nothing for too long while it is its turn
// is dropped. If a push breaks off, its request plays the buffered data (docs/adr/0039). A
// half-close may turn out to have been a break (docs/adr/0008). docs/protocol.md, Requests and
// Push, has the rules.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PUSH_LEDGER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PUSH_LEDGER_H_

#include <cstdint>
#include <optional>
#include <string>

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
  std::optional<double> received_until_s;  // for a resumed request: every track has been received
                                           // up to here (-1: nothing)
};

// A request whose push another process has received.
struct ContinuedRequest {
  wire::StreamHeader header;
  stream::PushCallOptions options = {};
  std::optional<Progress> progress = {};
};

// Peers are called from the methods of this class, and never after they are finished or have ended.
// Ids of pushes that have ended are ignored. One thread.
class PushLedger {
 public:
  // All arguments must outlive the ledger. `pulls` is informed about new requests.
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
  // True: continue reading. False: stop; the peer's ReadOn is called when there is room.
  bool Offer(uint64_t push, const wire::DataChunk& chunk, double now_s);
  void OfferStatus(uint64_t push, double now_s);
  // See the methods of Engine.
  wire::StatusChunk End(uint64_t push, stream::PushEnd end, const absl::Status& why);
  void SourceVanished(uint64_t push, const wire::StreamIds& ids);
  void Reject(const CallContext& context, const absl::Status& why);
  int size() const { return static_cast<int>(requests_.size()); }

  // Ends the push of a request, if one is open. If the request is over, this may destroy it.
  void Finish(Request& request, const stream::PushAnswer& answer);
  // Ends all pushes to `of` (null: to all streams).
  void FinishAll(const Stream* of, const stream::PushAnswer& answer);
  // The request has finished playing. If its push is still open, keeps the counts for the push's
  // answer.
  void RequestOver(Request& request);

  // Adds a request that waits for its source to resume it.
  void Continue(Stream& stream, const ContinuedRequest& continued, Now now);

  // Resumes reading paused pushes that have room again. Call between two ticks of the avatar.
  void ReadOn(StreamAvatar& avatar, double now_s);
  // Drops sources that have been silent for too long.
  void CheckSilence(double now_s);

  // The reason reported for a push that was cut off.
  static absl::Status BrokenOff();

 private:
  // Returns null if the header begins a new request.
  absl::StatusOr<Request*> Resume(const Stream& stream, const wire::StreamHeader& header,
                                  bool resume);
  absl::StatusOr<Request*> Begin(Stream& stream, const wire::StreamHeader& header,
                                 const stream::PushCallOptions& options, Now now);
  // `continued`: the request that it continues, or null.
  absl::StatusOr<Request*> Make(Stream& stream, const wire::StreamHeader& header,
                                const stream::PushCallOptions& options, Now now,
                                const ContinuedRequest* continued = nullptr);
  absl::StatusOr<GraphAssetPtr> AssetOfNames(const wire::StreamHeader& header) const;
  Request* Find(uint64_t push) const;
  // `wait_s`: how long the request waits for its source.
  void MarkLost(Request& request, const absl::Status& why, double wait_s);
  bool HasEndToTell(const wire::StreamIds& ids) const;

  const EngineParts& parts_;
  const EngineSettings& settings_;
  Streams& streams_;
  PullLedger& pulls_;
  EngineCounters& counters_;
  wire::BindingCache bindings_;                       // for the headers of pushes
  absl::flat_hash_map<uint64_t, Request*> requests_;  // by open push
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PUSH_LEDGER_H_
