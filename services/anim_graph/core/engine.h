// All that one worker's streams do, as a machine without threads and clocks: every call brings the
// time.
//
// A push opens a request; what it brings is buffered in the request's playback (PushLedger). Each
// avatar ticks once a frame (TickScheduler): it plays its requests, evaluates its graph, and
// encodes one frame, which goes to all who pull it (PullLedger). What else the outside says to the
// avatars of a stream comes by StreamControl. All of these look at the same Streams. The engine
// hands calls to its parts, runs the ticks, and tells each part what has happened in another.
//
// docs/protocol.md has the rules of streams; docs/adr/0002 tells why one engine a worker, 0039 what
// becomes of lost sources, 0008 how an end is told from a break, 0024 what sources and sinks do
// alike.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/stream/call_options.h"
#include "libs/stream/frame_sink.h"
#include "libs/stream/push_peer.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"
#include "services/anim_graph/core/call_context.h"
#include "services/anim_graph/core/engine_parts.h"
#include "services/anim_graph/core/pull_ledger.h"
#include "services/anim_graph/core/push_ledger.h"
#include "services/anim_graph/core/stream_control.h"
#include "services/anim_graph/core/streams.h"
#include "services/anim_graph/core/tick_scheduler.h"

namespace posewire::anim_graph {

// Called on the engine's thread.
using stream::FrameSink;
using stream::PullCallOptions;
using stream::PushAnswer;
using stream::PushCallOptions;
using stream::PushEnd;
using stream::PushPeer;

// Ids of calls that have ended are ignored everywhere. One thread.
class Engine {
 public:
  Engine(EngineParts parts, Now start);

  // --- Push
  absl::StatusOr<PushOpened> OpenPush(const wire::StreamHeader& header,
                                      const PushCallOptions& options, PushPeer* peer, Now now) {
    auto opened = pushes_.Open(header, options, peer, now);
    if (!opened.ok()) streams_.CameToNothing(header.ids.stream_id, now);
    counters_.pushes += opened.ok();
    return opened;
  }
  // True: read on. False: the peer is told when to.
  bool Offer(uint64_t push, const wire::DataChunk& chunk, Now now) {
    return pushes_.Offer(push, chunk, Seconds(now));
  }
  void OfferStatus(uint64_t push, const wire::StatusChunk&, Now now) {
    pushes_.OfferStatus(push, Seconds(now));
  }
  // A push is turned away, by the engine or before it came to it: `why` is counted and told. When
  // nothing plays under its ids (they may be empty) and it is no second push, its request has
  // ended.
  void RefusePush(const CallContext& context, const absl::Status& why) {
    pushes_.Refuse(context, why);
  }
  // The source is done, gone, or sent something wrong: then `why` is counted and told. The peer is
  // not called any more. The answer is that of a half-closed push.
  wire::StatusChunk EndPush(uint64_t push, PushEnd end, Now,
                            const absl::Status& why = PushLedger::BrokenOff()) {
    return pushes_.End(push, end, why);
  }
  // The connection of a push of these ids has gone, before its answer reached the source: what had
  // looked like the end of the request was none.
  void SourceVanished(uint64_t push, const wire::StreamIds& ids, Now) {
    pushes_.SourceVanished(push, ids);
  }

  // --- Pull
  absl::StatusOr<uint64_t> OpenPull(const CallContext& context, const PullCallOptions& options,
                                    FrameSink* sink, Now now) {
    auto opened = pulls_.Open(context.ids, options, sink, now);
    if (!opened.ok()) streams_.CameToNothing(context.ids.stream_id, now);
    counters_.pulls += opened.ok();
    return opened;
  }
  // A pull is turned away, by the engine or before it came to it.
  void RefusePull(const absl::Status& why) {
    ++counters_.refused_pulls[static_cast<size_t>(why.code())];
  }
  // The consumer has gone. The sink is not called any more.
  void ClosePull(uint64_t pull, Now) { pulls_.Close(pull); }

  // --- Time
  // Ticks what is due and ends what has waited too long. Call at or after NextWake.
  void Advance(Now now);
  int64_t NextWake() const { return scheduler_.NextWake(); }

  // --- Control
  StreamControl& control() { return control_; }
  // Another graph for all avatars: each takes it up at one of its next ticks.
  void SetPlan(std::shared_ptr<const graph::GraphPlan> plan) { parts_.plan = std::move(plan); }
  // The newest, whose variables are those that control() knows.
  const graph::GraphPlan& plan() const { return *parts_.plan; }
  absl::Status StopRequest(absl::string_view stream_id, absl::string_view request_id, Now now);
  absl::Status RegisterStream(absl::string_view stream_id, absl::string_view target, Now now);
  absl::Status RemoveStream(absl::string_view stream_id, Now now);
  // Ends all calls: the server is going.
  void Drain(Now now);

  struct RequestInfo {
    std::string request_id, source_service_id;
    PlayState state;
    double position_s, buffered_s;
  };
  struct AvatarInfo {
    std::string target_object_id;
    int64_t tick;
    int pulls;
    std::vector<RequestInfo> requests;
    AvatarPlace place = {};
  };
  struct StreamInfo {
    std::string stream_id;
    bool registered;
    std::vector<AvatarInfo> avatars;
  };
  // Those behind `after`, in the order of their ids, until `most` streams, avatars and requests are
  // told; none: there are no more.
  std::vector<StreamInfo> Streams(absl::string_view after = {},
                                  size_t most = std::numeric_limits<size_t>::max()) const;
  // From any thread.
  EngineCounters counters() const;
  // What the readers on its thread count into.
  wire::ReadPaths* read_paths() { return &counters_.paths; }
  // From any thread.
  void CountDroppedPose() { dropped_poses_.fetch_add(1, std::memory_order_relaxed); }
  const EngineSettings& settings() const { return settings_; }
  int pulls() const { return pulls_.size(); }
  int pushes() const { return pushes_.size(); }

 private:
  using Member = TickScheduler<StreamAvatar>::Member;

  double Seconds(Now now) const { return scheduler_.Seconds(now.ns); }
  void TickSlot(int64_t slot, const std::vector<Member>& members, double now_s);
  void Tick(StreamAvatar& avatar, int64_t k, double now_s);
  void Send(StreamAvatar& avatar, double now_s);
  void Handle(const PlaybackEvent& event, StreamAvatar& avatar, double now_s);
  void RequestOver(Request& request, double now_s);
  void TellGraphEvents(StreamAvatar& avatar);
  void RunHousekeeping(double now_s);

  EngineParts parts_;
  const EngineSettings& settings_;
  TickScratch scratch_;  // of all avatars
  TickScheduler<StreamAvatar> scheduler_;
  EngineCounters counters_;
  std::atomic<int64_t> dropped_poses_{0};
  anim_graph::Streams streams_;
  PullLedger pulls_;
  PushLedger pushes_;
  StreamControl control_;
  // Avatars that took up a new graph, in each of the last slots.
  std::array<int, SlotClock::kSlotsPerFrame> rebuilt_{};
  double next_housekeeping_s_ = 0;
  double next_stream_check_s_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_H_
