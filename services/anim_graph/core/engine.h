// All streams of one worker: who pushes, who pulls, which avatar plays what, and when it ticks.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/rig.h"
#include "libs/stream/call_options.h"
#include "libs/stream/frame_sink.h"
#include "libs/stream/push_peer.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/source_binding.h"
#include "services/anim_graph/core/avatar.h"
#include "services/anim_graph/core/call_context.h"
#include "services/anim_graph/core/engine_parts.h"
#include "services/anim_graph/core/tick_scheduler.h"

namespace posewire::anim_graph {

// Called on the engine's thread.
using stream::FrameSink;
using stream::PullOptions;
using stream::PushAnswer;
using stream::PushEnd;
using stream::PushOptions;
using stream::PushPeer;

struct PushOpened {
  uint64_t call = 0;
  std::optional<double>
      held_s;  // of a resumed request: every track is held up to here (-1: nothing)
};

// A machine without threads and clocks; see docs/protocol.md for the rules that it follows. Ids of
// calls that have ended are ignored everywhere. One thread.
class Engine {
 public:
  Engine(EngineParts parts, Now start);
  ~Engine();

  // --- Push
  absl::StatusOr<PushOpened> OpenPush(const CallContext& context, const wire::StreamHeader& header,
                                      const PushOptions& options, PushPeer* peer, Now now);
  // True: read on. False: the peer is told when to.
  bool Offer(uint64_t push, const wire::DataChunk& chunk, Now now);
  void OfferStatus(uint64_t push, const wire::StatusChunk& status, Now now);
  // A push is turned away, by the engine or before it came to it: `why` is counted and told. When
  // nothing plays under its ids (they may be empty) and it is no second push, its request has
  // ended.
  void RefusePush(const CallContext& context, const absl::Status& why);
  // The source is done, gone, or sent something wrong: then `why` is counted and told. The peer is
  // not called any more. The answer is that of a half-closed push.
  wire::StatusChunk EndPush(uint64_t push, PushEnd end, Now now,
                            const absl::Status& why = BrokenOff());
  // The connection of a push of these ids has gone, before its answer reached the source: what had
  // looked like the end of the request was none.
  void SourceVanished(uint64_t push, const wire::StreamIds& ids, Now now);

  // --- Pull
  absl::StatusOr<uint64_t> OpenPull(const CallContext& context, const PullOptions& options,
                                    FrameSink* sink, Now now);
  // The consumer has gone. The sink is not called any more.
  void ClosePull(uint64_t pull, Now now);

  // --- Time
  // Ticks what is due and ends what has waited too long. Call at or after NextWake.
  void Advance(Now now);
  int64_t NextWake() const { return scheduler_.NextWake(); }

  // --- Control
  // What was set, and on how many avatars.
  struct SetDone {
    int avatars = 0;
    std::string value;
    std::string note;  // for people; mostly empty
  };
  // Sets a variable of the graph for a stream (empty target: of all its avatars, also of those that
  // come later) or for one avatar. A stream that is not known is made. INVALID_ARGUMENT lists the
  // known values, NOT_FOUND the known variables or avatars.
  absl::StatusOr<SetDone> SetVariable(absl::string_view stream_id, absl::string_view target,
                                      absl::string_view name, absl::string_view value, Now now);
  // The same as the variable gesture_state. FAILED_PRECONDITION where the graph has none.
  absl::StatusOr<SetDone> SetGesture(absl::string_view stream_id, absl::string_view target,
                                     absl::string_view gesture, Now now);
  // The value of each variable, in the order of the plan's: of the avatar, else of the stream, else
  // its default.
  absl::StatusOr<std::vector<std::string>> Variables(absl::string_view stream_id,
                                                     absl::string_view target) const;
  absl::StatusOr<int> FireEvent(absl::string_view stream_id, absl::string_view target,
                                absl::string_view event);
  // Where a person is, in the space that the avatars of the stream stand in. One that is not heard
  // of for 2 s is forgotten.
  struct User {
    std::string name;
    graph::UserInput input;  // its name is not read
  };
  absl::Status SetUser(absl::string_view stream_id, const User& user, Now now);
  absl::Status RemoveUser(absl::string_view stream_id, absl::string_view name);
  // Where an avatar stands: on the ground, turned about Y.
  struct Place {
    float x_m = 0, z_m = 0, turn_deg = 0;
  };
  absl::Status PlaceAvatar(absl::string_view stream_id, absl::string_view target, Place place);
  // Where joints and sites of the avatar are at its last tick, in its own space.
  struct SitePlace {
    std::string name;
    skel::Vec3 position;
    skel::Quat rotation;
  };
  absl::StatusOr<std::vector<SitePlace>> Sites(absl::string_view stream_id,
                                               absl::string_view target) const;
  // Another graph for all avatars: each takes it up at one of its next ticks.
  void SetPlan(std::shared_ptr<const graph::GraphPlan> plan);
  // The newest, whose variables are those that Variables lists.
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
  };
  struct StreamInfo {
    std::string stream_id;
    bool registered;
    std::vector<AvatarInfo> avatars;
  };
  std::vector<StreamInfo> Streams() const;
  EngineCounters counters() const;
  // From those who read and write for it: on its thread, and on any thread.
  void CountRead(const wire::ReadPaths& more);
  void CountDroppedPose() { dropped_poses_.fetch_add(1, std::memory_order_relaxed); }
  int pulls() const { return static_cast<int>(pulls_.size()); }
  int pushes() const { return static_cast<int>(pushes_.size()); }

 private:
  struct AvatarEntry;
  struct Request;
  struct Stream;
  struct PushCall;
  struct PullCall;
  using StreamMap = std::map<std::string, std::unique_ptr<Stream>, std::less<>>;

  // engine.cc: streams and avatars
  absl::StatusOr<Stream*> FindOrMakeStream(absl::string_view stream_id, bool make);
  Stream* FindStream(absl::string_view stream_id) const;
  void EraseStream(StreamMap::iterator at);
  // The avatar for a target; null when it would have to be made.
  AvatarEntry* FindAvatar(Stream& stream, absl::string_view target) const;
  absl::StatusOr<AvatarEntry*> FindOrMakeAvatar(Stream& stream, absl::string_view target, Now now);
  void RemoveAvatar(Stream& stream, AvatarEntry* avatar);
  void Tell(EngineEvent::Kind kind, const AvatarEntry& avatar, absl::string_view request,
            std::string detail) const;
  double Seconds(Now now) const { return scheduler_.Seconds(now.ns); }

  // engine_graph.cc
  absl::StatusOr<Stream*> KnownStream(absl::string_view stream_id) const;
  absl::StatusOr<AvatarEntry*> KnownAvatar(absl::string_view stream_id,
                                           absl::string_view target) const;
  void GiveVariables(const Stream& stream, AvatarEntry& avatar) const;
  void Surround(AvatarEntry& avatar, double now_s);
  static void ForgetUsers(Stream& stream, double now_s);
  static void NoteHead(AvatarEntry& avatar);
  void HandleGraphEvents(AvatarEntry& avatar);

  // engine_time.cc
  void TickSlot(int64_t slot, const std::vector<TickScheduler<AvatarEntry>::Member>& members,
                Now now);
  void TickAvatar(AvatarEntry& avatar, int64_t k, Now now);
  void SendTick(AvatarEntry& avatar, Now now);
  void HandleEvents(AvatarEntry& avatar, double now_s);
  void SendFrames(AvatarEntry& avatar, double now_s);
  void ReadOn(AvatarEntry& avatar, double now_s);
  void KeepHouse(Now now);
  void CheckPushes(double now_s);
  void CheckWaitingPulls(double now_s);
  void CheckStreams(double now_s);
  void ForgetRestingStreams();
  static Request* FindRequest(Stream& stream, uint64_t playback_id);

  // engine_push.cc
  absl::StatusOr<std::optional<double>> ResumeOrRefuse(Request& request,
                                                       const wire::StreamHeader& header,
                                                       const PushOptions& options, double now_s,
                                                       bool& resumed);
  SourceSettings Resolve(const wire::StreamHeader& header, const PushOptions& options) const;
  Request* Remember(Stream& stream, const wire::StreamHeader& header, AvatarEntry* avatar,
                    uint64_t playback_id);
  void FinishPush(uint64_t push, const PushAnswer& answer);
  void EndRequest(Request& request, Ending ending, double now_s);
  void ForgetOldRequests(Stream& stream, double now_s);
  static std::string Counts(const Request& request);
  void MarkLost(Request& request, Playback& playback, double now_s,
                const absl::Status& why = BrokenOff());
  static absl::Status BrokenOff();
  bool HasEndToTell(absl::string_view stream_id, absl::string_view request_id) const;

  // engine_pull.cc
  absl::Status BindPull(PullCall& pull, AvatarEntry& avatar, const Request* request, double now_s);
  void AttachWindow(PullCall& pull, const Request& request);
  void RequestAppeared(Stream& stream, Request& request, Now now);
  void Send(PullCall& pull, const wire::EncodedFrame& frame, double now_s);
  void FinishPull(PullCall& pull, const absl::Status& status);
  void CloseOver(PullCall& pull, const Request& request, double now_s);
  absl::StatusOr<std::shared_ptr<const skel::Rig>> PullRig(const PullOptions& options,
                                                           const AvatarEntry& avatar) const;
  // Forgets those that have finished since it was called last.
  void SweepPulls();

  EngineParts parts_;
  const EngineSettings& settings_;
  Workbench bench_;  // of all avatars
  TickScheduler<AvatarEntry> scheduler_;
  std::vector<graph::UserInput> users_;            // of the avatar that ticks
  std::vector<graph::NeighbourInput> neighbours_;  // of the avatar that ticks
  double next_housekeeping_s_ = 0;
  double next_stream_check_s_ = 0;
  EngineCounters counters_;
  std::atomic<int64_t> dropped_poses_{0};
  bool sweep_ = false;           // a pull has finished
  wire::BindingCache bindings_;  // of the headers of pushes
  uint64_t next_id_ = 1;
  // Avatars that took up a new graph, in each of the last slots.
  std::array<int, SlotClock::kSlotsPerFrame> rebuilt_{};
  StreamMap streams_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<PushCall>> pushes_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<PullCall>> pulls_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_H_
