// The streams of one worker, as a state machine without threads and clocks: every call passes the
// time.
//
// A push opens a request. Its messages are buffered in the request's playback (PushLedger). Each
// avatar ticks once per frame (TickScheduler): it plays its requests, evaluates its graph, and
// encodes one frame, which is sent to all its pulls (PullLedger). All other input for the avatars
// of a stream arrives through StreamControl. All these parts share one Streams object. The engine
// forwards calls to its parts, runs the ticks, and informs each part about events in the others.
//
// docs/protocol.md has the rules of streams. docs/adr/0002 explains why there is one engine per
// worker, 0039 how lost sources are handled, 0008 how an end is distinguished from a break, and
// 0024 how sources and sinks share these rules.
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
#include "services/anim_graph/core/stream_snapshots.h"
#include "services/anim_graph/core/streams.h"
#include "services/anim_graph/core/tick_scheduler.h"

namespace posewire::anim_graph {

// These interfaces are called on the engine's thread.
using stream::FrameSink;
using stream::PullCallOptions;
using stream::PushAnswer;
using stream::PushCallOptions;
using stream::PushEnd;
using stream::PushPeer;

// Ids of calls that have ended are ignored by all methods. One thread.
class Engine {
 public:
  Engine(EngineParts parts, Now start);
  ~Engine();

  // --- Push
  absl::StatusOr<PushOpened> OpenPush(const wire::StreamHeader& header,
                                      const PushCallOptions& options, PushPeer* peer, Now now) {
    auto opened = pushes_.Open(header, options, peer, now);
    if (!opened.ok()) streams_.CameToNothing(header.ids.stream_id, now);
    counters_.pushes += opened.ok();
    return opened;
  }
  // True: continue reading. False: stop; the peer's ReadOn is called when there is room.
  bool Offer(uint64_t push, const wire::DataChunk& chunk, Now now) {
    return pushes_.Offer(push, chunk, Seconds(now));
  }
  void OfferStatus(uint64_t push, const wire::StatusChunk&, Now now) {
    pushes_.OfferStatus(push, Seconds(now));
  }
  // A push is rejected, by the engine or before it reached the engine: counts and reports `why`.
  // Also reports the end of its request, unless a request with these ids plays or waits, an id is
  // empty, or `why` says nothing about the request: ALREADY_EXISTS (a second push),
  // PERMISSION_DENIED, UNAUTHENTICATED, CANCELLED or UNAVAILABLE.
  void RejectPush(const CallContext& context, const absl::Status& why) {
    pushes_.Reject(context, why);
  }
  // The source has finished, disconnected or sent invalid data; in the last two cases, counts and
  // reports `why`. The peer is not called after this. Returns the answer for a half-closed push.
  wire::StatusChunk EndPush(uint64_t push, PushEnd end, Now,
                            const absl::Status& why = PushLedger::BrokenOff()) {
    return pushes_.End(push, end, why);
  }
  // The connection of a push with these ids was lost before its answer reached the source, so the
  // apparent end of the request was a break.
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
  // A pull is rejected, by the engine or before it reached the engine. Counts `why`.
  void RejectPull(const absl::Status& why) {
    ++counters_.rejected_pulls[static_cast<size_t>(why.code())];
  }
  // The consumer has disconnected. The sink is not called after this.
  void ClosePull(uint64_t pull, Now) { pulls_.Close(pull); }

  // --- Time Runs the ticks that are due, and ends calls that have waited too long. Call at or
  // after NextWake.
  void Advance(Now now);
  int64_t NextWake() const { return scheduler_.NextWake(); }

  // --- Control
  StreamControl& control() { return control_; }
  // Replaces the graph of all avatars. Each avatar adopts it at one of its next ticks.
  void SetGraphAsset(std::shared_ptr<const graph::GraphAsset> asset) {
    parts_.asset = std::move(asset);
  }
  // The newest graph. Its variables are those that control() accepts.
  const graph::GraphAsset& asset() const { return *parts_.asset; }
  absl::Status StopRequest(absl::string_view stream_id, absl::string_view request_id, Now now);
  absl::Status RegisterStream(absl::string_view stream_id, absl::string_view target, Now now);
  absl::Status RemoveStream(absl::string_view stream_id, Now now);
  // Ends the stream's calls with the given reason, unless the stream has another lease by now.
  void EndStream(const StreamDirectory::LostLease& lost, Now now);
  // Continues a stream that this process serves now, if another one has saved it. Pushes, pulls and
  // calls that create a stream do so by themselves.
  void ContinueSaved(absl::string_view stream_id, Now now) {
    if (streams_.Find(stream_id) == nullptr) (void)streams_.FindOrMake(stream_id, now, false);
  }
  // From now on, no stream is created: UNAVAILABLE.
  void MakeNoMore() { streams_.MakeNoMore(); }
  // Ends up to `most` streams, because the server is shutting down: those without requests, or any
  // if `all`. A leased stream is handed over to the next process that is called for it. Returns how
  // many streams are left.
  size_t EndStreams(bool all, size_t most, Now now);
  // Hands streams over like EndStreams: those with these ids, or, if there are none, those whose
  // last call was relayed. Each when it has no request, or after `within_s`; at most `per_s` a
  // second. Returns how many will move.
  size_t MoveStreams(absl::Span<const std::string> ids, double per_s, double within_s, Now now);
  // A push or pull of this stream has opened, through another process or not.
  void NoteWay(absl::string_view stream_id, bool relayed);
  // Ends all calls, because the server is shutting down.
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
  // Returns streams after `after`, ordered by id, until `most` streams, avatars and requests are
  // listed. An empty result means there are no more.
  std::vector<StreamInfo> Streams(absl::string_view after = {},
                                  size_t most = std::numeric_limits<size_t>::max()) const;
  // Callable from any thread.
  EngineCounters counters() const;
  // The counters that readers on the engine's thread add to.
  wire::ReadPaths* read_paths() { return &counters_.paths; }
  // Callable from any thread.
  void CountDroppedPose() { dropped_poses_.fetch_add(1, std::memory_order_relaxed); }
  const EngineSettings& settings() const { return settings_; }
  int pulls() const { return pulls_.size(); }
  int pushes() const { return pushes_.size(); }

 private:
  using Member = TickScheduler<StreamAvatar>::Member;

  double Seconds(Now now) const { return scheduler_.Seconds(now.ns); }
  void TickSlot(int64_t slot, const std::vector<Member>& members, int64_t now_ns, double now_s);
  bool MayTick(StreamAvatar& avatar, int64_t now_ns, double now_s);
  void Tick(StreamAvatar& avatar, int64_t k, double now_s);
  void Send(StreamAvatar& avatar, double now_s);
  void Handle(const PlaybackEvent& event, StreamAvatar& avatar, double now_s);
  void RequestOver(Request& request, double now_s);
  void TellGraphEvents(StreamAvatar& avatar);
  void RunHousekeeping(Now now);
  // Ends the stream's calls: its pulls get an INFO with the text `told` first.
  void End(Stream& stream, absl::string_view told, const absl::Status& why, Now now);
  void HandOver(Stream& stream, absl::string_view told, const absl::Status& why, Now now);
  void MoveNext(Now now);

  EngineParts parts_;
  const EngineSettings& settings_;
  TickScratch scratch_;  // shared by all avatars
  TickScheduler<StreamAvatar> scheduler_;
  EngineCounters counters_;
  std::atomic<int64_t> dropped_poses_{0};
  anim_graph::Streams streams_;
  PullLedger pulls_;
  PushLedger pushes_;
  StreamControl control_;
  std::unique_ptr<StreamSnapshots> snapshots_;  // null: streams are not saved
  size_t next_part_ = 0;                        // of the streams whose snapshots are saved next
  size_t moving_ = 0;                           // streams with move_by_s, or more
  double move_every_s_ = 0;
  double next_move_s_ = 0;
  // Number of avatars that adopted a new graph, for each slot of the last frame.
  std::array<int, SlotClock::kSlotsPerFrame> rebuilt_{};
  double next_housekeeping_s_ = 0;
  double next_stream_check_s_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_H_
