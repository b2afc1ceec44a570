// Events and counters that an engine reports, for logs, metrics and watching clients.
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

// `detail` is text for people.
struct EngineEvent {
  enum Kind {
    kAvatarMade,
    kAvatarRemoved,
    kRequestStarted,
    kRequestEnded,
    kUnderrun,
    kResumed,
    kGap,
    kPullOverdue,
    kSourceSilent,
    kSourceLost,
    kRequestInterrupted,
    kPushRejected,     // the push was rejected; its request, if there is one, continues
    kRequestRejected,  // the push was rejected, and its request will never play
    kGraphTold,        // an event of the graph; `graph` is its kind
    kPropAttached,     // `detail` is the prop's name
    kPropDetached,     // `detail` is the prop's name
    kPropFailed,       // an action of the graph on a prop; `detail` is the error
  };
  Kind kind;
  std::string stream_id, target_object_id, request_id;
  std::string detail;  // kGraphTold: the name of the gesture, arrangement, event or state
  graph::GraphEvent::Kind graph = graph::GraphEvent::kGestureStarted;
  double time_code_s = 0;        // in the avatar's time
  std::string peer = {};         // the rejected caller
  std::string traceparent = {};  // of the request's push; see stream::TraceparentOf
};
// Called on the engine's thread.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void On(const EngineEvent& event) = 0;
};

// Counts since the engine was made. Only the engine's thread writes; any thread may read.
struct EngineCounters {
  using Counter = wire::Counter;
  Counter pushes;              // opened
  Counter pulls;               // opened
  Counter messages;            // data messages received from pushes
  wire::ReadPaths paths;       // how those messages were parsed
  Counter frames;              // frames offered to pulls
  Counter ticks;               // ticks of avatars
  Counter missed_ticks;        // ticks that an avatar skipped, whose pose was never sent
  Counter late_slots;          // slots with avatars that began two or more slots late
  LatenessHistogram lateness;  // of slots with avatars
  WaitHistogram waits;         // time from arrival to display of messages whose request is playing
  Counter voice_taken_us;      // received from pushes: duration of messages with sound
  Counter voice_played_us;     // sent: duration of frames with a voice
  Counter slow_pulls;          // pulls ended because they were too slow
  Counter dropped_poses;       // frames sent to slow pulls without their pose
  // Counts by status code.
  using Codes = std::array<Counter, static_cast<size_t>(absl::StatusCode::kUnauthenticated) + 1>;
  Codes rejected_pushes{};  // pushes rejected before they had a request
  Codes rejected_pulls{};   // pulls rejected
  Codes lost_sources{};     // pushes that did not end properly
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_OBSERVER_H_
