// What an engine tells of what happens in it, for logs, metrics and those who watch.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_OBSERVER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_OBSERVER_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "libs/graph/node.h"
#include "libs/wire/counter.h"
#include "libs/wire/frame_reader.h"
#include "services/anim_graph/core/time_histogram.h"

namespace posewire::anim_graph {

// `detail` is for people.
struct EngineEvent {
  enum Kind {
    kAvatarMade,
    kAvatarRemoved,
    kRequestStarted,
    kRequestEnded,
    kUnderrun,
    kResumed,
    kHole,
    kPullOverdue,
    kSourceSilent,
    kSourceLost,
    kRequestInterrupted,
    kPushRefused,     // what its request does, if there is one, it goes on to do
    kRequestRefused,  // a refused push, and its request will never play
    kGraphTold,       // `graph` says what
    kPropAttached,    // `detail` names it
    kPropDetached,    // the same
  };
  Kind kind;
  std::string stream_id, target_object_id, request_id;
  std::string detail;  // kGraphTold: the name of the gesture, arrangement, event or state
  graph::GraphEvent::Kind graph = graph::GraphEvent::kGestureStarted;
  double code_s = 0;             // in the avatar's codes
  std::string peer = {};         // who was refused
  std::string traceparent = {};  // of the request's push; see stream::TraceparentOf
};
// Called on the engine's thread.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void On(const EngineEvent& event) = 0;
};

// What an engine has done since it was made. The engine's thread counts, any thread may read.
struct EngineCounters {
  using Counter = wire::Counter;
  Counter pushes;              // that were opened
  Counter pulls;               // the same
  Counter messages;            // of data that pushes brought
  wire::ReadPaths paths;       // the ways in which they were read
  Counter frames;              // that were offered to pulls
  Counter ticks;               // of avatars
  Counter missed_ticks;        // that an avatar left out, and whose pose nobody got
  Counter late_slots;          // with avatars, that began more than a slot after their time
  LatenessHistogram lateness;  // of slots with avatars
  WaitHistogram waits;         // of messages, until they are shown, while their request plays
  Counter voice_taken_us;      // of pushes: messages with sound in them
  Counter voice_played_us;     // frames with a voice in them
  Counter slow_pulls;          // that were ended because they did not keep up
  Counter dropped_poses;       // of frames that went out to slow pulls without them
  // By their codes.
  using Codes = std::array<Counter, static_cast<size_t>(absl::StatusCode::kUnauthenticated) + 1>;
  Codes refused_pushes{};  // that were turned away before they had a request
  Codes refused_pulls{};   // pulls
  Codes lost_sources{};    // pushes that ended otherwise than in order
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_OBSERVER_H_
