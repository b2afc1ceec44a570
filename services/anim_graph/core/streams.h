// The streams of one engine, with their avatars and requests.
//
// A stream is made on first use and holds avatars; the first is its default. A request holds the
// playback in which its avatar plays it, and the push that brings it. When it is over, the stream
// remembers how it ended. An avatar that nobody uses is removed after a minute. A stream without
// avatars then rests: it takes no place among the streams at once, and goes when it has nothing to
// remember any more. docs/protocol.md, Avatars and Requests, has the rules.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAMS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAMS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
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

namespace posewire::anim_graph {

struct Pull;  // of pull_ledger.h
struct Stream;

// Where an avatar stands: on the ground, turned about Y.
struct AvatarPlace {
  float x_m = 0, z_m = 0, turn_deg = 0;
};

// Where a person is, in the space that the avatars of the stream stand in.
struct StreamUser {
  std::string name;
  graph::UserInput input;  // its name is not read
  double heard_s = 0;
  double hold_s = 2;  // is gone so long after it was heard of
};

// False where an avatar's graph has no such variable or value.
bool SetByText(graph::Variables& variables, absl::string_view name, absl::string_view text);

struct StreamAvatar {
  Stream* stream;
  std::string target;
  Avatar avatar;
  double epoch_s = 0;  // Unix time of code 0
  double idle_since_s = 0;
  std::vector<Pull*> pulls = {};      // bound to it, in order of opening
  std::vector<uint64_t> paused = {};  // pushes that are not read for now
  double seen_s = -1e9;               // when a pull last got a frame of it
  AvatarPlace place = {};
  // At its last tick; only with company.
  skel::Vec3 head = {};   // in its own space
  float voice_db = -100;  // of full scale
};

// Until it is over and its push has ended.
struct Request {
  std::string id;
  StreamAvatar* avatar;
  Playback* playback;  // of the avatar's; null: it is over
  stream::Ending ending = stream::Ending::kNone;
  bool replaced = false;     // another one has come under its id, while its rest plays
  double start_code_s = -1;  // in the avatar's codes; below 0 until it plays

  struct Push {
    uint64_t call;
    stream::PushPeer* peer;
    double heard_s;
    bool paused = false;
    int64_t messages = 0;
  };
  double came_s = 0;
  std::optional<Push> push = {};  // the call that is open
  uint64_t last_push = 0;         // the call that closed last
  bool lost = false;              // broken off, and not resumed yet
  bool may_resume = false;        // one that is lost
  std::string traceparent = {};   // of the call that began it
  std::string counts = {};        // what was mended and ignored, for people; once it is over
};

// How a request ended that is remembered.
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
  const absl::flat_hash_map<std::string, PlanPtr>& targets;  // with rigs of their own
  bool registered = false;
  std::vector<std::unique_ptr<StreamAvatar>> avatars;  // the first is the default
  std::vector<std::unique_ptr<Request>> requests;      // oldest first
  stream::RequestMemory<RequestEnd> ended;
  std::vector<Pull*> waiting;                                 // for a request that has not come yet
  int pulls = 0;                                              // open, with those that wait
  std::map<std::string, std::string, std::less<>> variables;  // set for all its avatars
  std::vector<StreamUser> users = {};                         // in order of appearance
  PropScene scene = {};
  double touched_s = -1e9;  // when it was last asked for by name
  bool resting = false;
  double rests_since_s = 0;

  // The avatar for a target; null when it would have to be made.
  StreamAvatar* FindAvatar(absl::string_view target);
  // The newest of an id, unless it is over and its push has ended.
  Request* FindRequest(absl::string_view request_id) const;
  // How the newest of an id ended, if it is over and remembered.
  std::optional<RequestEnd> FindEnd(absl::string_view request_id) const;
  // The one that an avatar plays, or will, in this playback.
  Request* FindPlaying(uint64_t playback_id) const;
  // Those that were not heard of for 2 s.
  void ForgetUsers(double now_s);
};

// Owns them, within the limits of the process (`parts->capacity`). Errors are NOT_FOUND for what
// may not be made and RESOURCE_EXHAUSTED over a limit. One thread.
class Streams {
 public:
  using Map = std::map<std::string, std::unique_ptr<Stream>, std::less<>>;

  // All outlive it.
  Streams(const EngineParts* parts, TickScratch* scratch, TickScheduler<StreamAvatar>* scheduler)
      : parts_(*parts), settings_(*parts->settings), scratch_(*scratch), scheduler_(*scheduler) {}
  ~Streams();

  const Map& all() const { return streams_; }
  Stream* Find(absl::string_view stream_id) const;
  // `make`: one that is not known is made.
  absl::StatusOr<Stream*> FindOrMake(absl::string_view stream_id, bool make);
  absl::StatusOr<Stream*> FindOrMake(absl::string_view stream_id) {
    return FindOrMake(stream_id, settings_.create_streams);
  }
  // Its calls have ended before.
  void Remove(Stream& stream);
  // What the avatar of a target plays, or would; null: that is for a push to say.
  PlanPtr PlanOf(const Stream& stream, absl::string_view target) const;
  // `plan`: for one that has to be made; null: as PlanOf says. FAILED_PRECONDITION where that is
  // for a push to say.
  absl::StatusOr<StreamAvatar*> FindOrMakeAvatar(Stream& stream, absl::string_view target, Now now,
                                                 PlanPtr plan = nullptr);

  // A new one of its id.
  Request& Add(std::string request_id, StreamAvatar& avatar, Playback& playback);
  // It has played: from now on it is remembered.
  void RequestOver(Request& request, double now_s);
  // Forgets the call that pushed it; of a request that is over that was the last to be known.
  void PushClosed(Request& request);

  // A call that asked for the stream was refused: if it was made for the call, its place is given
  // back.
  void CameToNothing(absl::string_view stream_id, Now now);
  // Removes avatars, and puts streams to rest, that nobody has used for long.
  void RemoveUnused(double now_s);

  // Of calls, playbacks and seeds; never twice.
  uint64_t NewId() { return next_id_++; }
  double Seconds(Now now) const { return scheduler_.Seconds(now.ns); }
  void Tell(EngineEvent::Kind kind, const StreamAvatar& avatar, absl::string_view request = "",
            std::string detail = "") const;

 private:
  void RemoveAvatar(StreamAvatar& avatar);
  void Drop(const Request& request);
  Map::iterator Erase(Map::iterator at);
  bool Unused(const Stream& stream, double now_s) const;
  // Of an unused stream only what is remembered stays. Gives the next one.
  Map::iterator Retire(Map::iterator at, double now_s);
  void ForgetResting();

  const EngineParts& parts_;
  const EngineSettings& settings_;
  TickScratch& scratch_;  // of all avatars
  TickScheduler<StreamAvatar>& scheduler_;
  uint64_t next_id_ = 1;
  Map streams_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAMS_H_
