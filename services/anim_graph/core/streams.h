// The streams of one engine, with their avatars and requests.
//
// A stream is made on first use and owns avatars; the first one is its default. A request refers to
// the playback in which its avatar plays it, and to its open push. When a request is over, the
// stream remembers how it ended. An unused avatar is removed after a minute. A stream without
// avatars then rests: it no longer counts as a stream, and is removed once it has nothing left to
// remember. docs/protocol.md, Avatars and Requests, has the rules.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAMS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAMS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/stream/push_peer.h"
#include "libs/stream/request_memory.h"
#include "services/anim_graph/core/avatar.h"
#include "services/anim_graph/core/engine_parts.h"
#include "services/anim_graph/core/prop_scene.h"
#include "services/anim_graph/core/tick_scheduler.h"
#include "services/anim_graph/core/user_liveliness.h"

namespace posewire::anim_graph {

struct Pull;  // defined in pull_ledger.h
struct Stream;

// Place of an avatar: on the ground, turned about Y.
struct AvatarPlace {
  float x_m = 0, z_m = 0, turn_deg = 0;
};

// A person in the space that the avatars of the stream share.
struct StreamUser {
  static constexpr size_t kMostPoints = 32;
  struct Point {
    std::string name;
    skel::Vec3 at;
  };
  std::string name;
  graph::UserInput input;  // its name, points, mood and liveliness are not used
  std::string mood = {};
  std::vector<Point> points = {};
  double heard_s = 0;
  double hold_s = 2;  // removed this long after its last update
  UserLiveliness liveliness = {};
};

// The variable that plays a gesture.
inline constexpr absl::string_view kGestureVariable = "gesture_state";

// Returns false if an avatar's graph has no such variable or value.
bool SetByText(graph::Variables& variables, absl::string_view name, absl::string_view text);

struct StreamAvatar {
  Stream* stream;
  std::string target;
  Avatar avatar;
  double epoch_s = 0;  // Unix time of time code 0
  double idle_since_s = 0;
  std::vector<Pull*> pulls = {};      // bound to this avatar, in order of opening
  std::vector<uint64_t> paused = {};  // pushes that are currently not read
  bool halted = false;                // the stream's lease was over at the last tick
  double seen_s = -1e9;               // when a pull last got a frame of this avatar
  AvatarPlace place = {};
  // Variables, by name, that were set to values of a graph that the avatar has not adopted yet.
  std::map<std::string, std::string> waiting = {};
  // State at its last tick; updated only if the stream has users or other avatars.
  skel::Vec3 head = {};   // in its own space
  float voice_db = -100;  // relative to full scale
};

// A request until it is over and its push has ended.
struct Request {
  std::string id;
  StreamAvatar* avatar;
  Playback* playback;  // owned by the avatar; null: the request is over
  stream::Ending ending = stream::Ending::kNone;
  bool replaced = false;          // another request has the same id now, while this one finishes
  double start_time_code_s = -1;  // in the avatar's time; below 0 until it plays

  struct Push {
    uint64_t call;
    stream::PushPeer* peer;
    double heard_s;
    bool paused = false;
    int64_t messages = 0;
  };
  double came_s = 0;
  std::optional<Push> push = {};  // the open call
  uint64_t last_push = 0;         // the call that closed last
  bool lost = false;              // broken off, and not resumed yet
  bool may_resume = false;        // for a lost request
  std::string traceparent = {};   // of the call that opened it
  std::string counts = {};        // repaired and ignored data, as text for people; set when the
                                  // request is over
};

// How a remembered request ended.
struct RequestEnd {
  stream::Ending ending;
  double epoch_s;  // of its avatar
};

struct Stream {
  Stream(absl::string_view stream_id, const EngineParts& parts)
      : id(stream_id),
        targets(parts.targets),
        ended(parts.settings->remember_s, parts.settings->max_remembered_requests,
              &parts.capacity->remembered) {}

  const std::string id;
  const absl::flat_hash_map<std::string, GraphAssetPtr>& targets;  // targets with their own rigs
  bool registered = false;
  std::vector<std::unique_ptr<StreamAvatar>> avatars;  // the first is the default
  std::vector<std::unique_ptr<Request>> requests;      // oldest first
  stream::RequestMemory<RequestEnd> ended;
  std::vector<Pull*> waiting;                                 // waiting for a request that has not
                                                              // been opened yet
  int pulls = 0;                                              // open ones, including those that
                                                              // wait
  std::map<std::string, std::string, std::less<>> variables;  // set for all its avatars
  std::vector<StreamUser> users = {};                         // in order of appearance
  PropScene scene = {};
  LeasePtr lease = {};                   // null: needs none, or the stream rests
  size_t saved = 0;                      // hash of the state that was saved last
  uint32_t saved_losses = 0;             // of the lease at that time
  bool relayed = false;                  // the last push or pull came through another process
  std::optional<double> move_by_s = {};  // it is handed over by then
  double touched_s = -1e9;               // when a call last named this stream
  bool resting = false;
  double rests_since_s = 0;

  // Returns the avatar for a target, or null if it would have to be made.
  StreamAvatar* FindAvatar(absl::string_view target);
  // Returns the newest request with this id, unless it is over and its push has ended.
  Request* FindRequest(absl::string_view request_id) const;
  // Returns how the newest request with this id ended, if it is over and remembered.
  std::optional<RequestEnd> FindEnd(absl::string_view request_id) const;
  // Returns the request that an avatar plays, or will play, in this playback.
  Request* FindPlaying(uint64_t playback_id) const;
  // Removes users that have not been updated for their hold_s (default 2 s).
  void ForgetUsers(double now_s);
};

// Owns the streams, within the limits of the process (`parts->capacity`). Errors: NOT_FOUND for a
// stream or avatar that may not be made, RESOURCE_EXHAUSTED over a limit, UNAVAILABLE without a
// lease. One thread.
class Streams {
 public:
  using Map = std::map<std::string, std::unique_ptr<Stream>, std::less<>>;

  // Continues a stream that was just made.
  using Proceed = std::function<void(Stream&, const StreamDirectory::SavedStream&, Now)>;
  // All pointers must outlive this.
  Streams(const EngineParts* parts, TickScratch* scratch, TickScheduler<StreamAvatar>* scheduler,
          Proceed proceed = {})
      : parts_(*parts),
        settings_(*parts->settings),
        scratch_(*scratch),
        scheduler_(*scheduler),
        proceed_(std::move(proceed)) {}
  ~Streams();

  const Map& all() const { return streams_; }
  Stream* Find(absl::string_view stream_id) const;
  // `make`: creates the stream if it is unknown. A stream that another process has served before
  // is continued.
  absl::StatusOr<Stream*> FindOrMake(absl::string_view stream_id, Now now, bool make);
  absl::StatusOr<Stream*> FindOrMake(absl::string_view stream_id, Now now) {
    return FindOrMake(stream_id, now, settings_.create_streams);
  }
  // From now on, FindOrMake creates no stream: UNAVAILABLE.
  void MakeNoMore() { closed_ = true; }
  // All calls of the stream must have ended.
  void Remove(Stream& stream);
  // Returns the graph that the avatar of a target plays or would play. Null: the first push
  // determines it.
  GraphAssetPtr AssetOf(const Stream& stream, absl::string_view target) const;
  // `plan`: for an avatar that has to be made; null: as returned by PlanOf. FAILED_PRECONDITION if
  // a push has to determine it.
  absl::StatusOr<StreamAvatar*> FindOrMakeAvatar(Stream& stream, absl::string_view target, Now now,
                                                 GraphAssetPtr asset = nullptr);

  // Adds a new request.
  Request& Add(std::string request_id, StreamAvatar& avatar, Playback& playback);
  // The request has finished playing: the stream remembers its end from now on.
  void RequestOver(Request& request, double now_s);
  // Removes the reference to the call that pushed the request. If the request is over, removes the
  // request.
  void PushClosed(Request& request);

  // A call for this stream was rejected. If the stream was made for the call, its reservation is
  // returned.
  void CameToNothing(absl::string_view stream_id, Now now);
  // Removes avatars, and puts streams to rest, that have not been used for a long time.
  void RemoveUnused(double now_s);

  // For calls, playbacks and seeds. Never returns the same id twice.
  uint64_t NewId() { return next_id_++; }
  double Seconds(Now now) const { return scheduler_.Seconds(now.ns); }
  void Tell(EngineEvent::Kind kind, const StreamAvatar& avatar, absl::string_view request = "",
            std::string detail = "") const;

 private:
  void RemoveAvatar(StreamAvatar& avatar);
  void Drop(const Request& request);
  Map::iterator Erase(Map::iterator at);
  bool Unused(const Stream& stream, double now_s) const;
  // Removes everything from an unused stream except remembered requests. Returns the next stream.
  Map::iterator Retire(Map::iterator at, double now_s);
  void ForgetResting();

  const EngineParts& parts_;
  const EngineSettings& settings_;
  TickScratch& scratch_;  // shared by all avatars
  TickScheduler<StreamAvatar>& scheduler_;
  const Proceed proceed_;
  bool closed_ = false;
  uint64_t next_id_ = 1;
  Map streams_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAMS_H_
