// What every node of an animation graph is.
//
// A graph belongs to one avatar and one thread. Each tick Update runs from the output towards the
// inputs, with weights; then Evaluate runs for the active nodes only. Neither allocates, locks or
// logs.
#ifndef POSEWIRE_LIBS_GRAPH_NODE_H_
#define POSEWIRE_LIBS_GRAPH_NODE_H_

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/clip/clip_library.h"
#include "libs/graph/variables.h"
#include "libs/random/random.h"
#include "libs/skel/model_place.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

class ContributionList;
class ContributionStore;
struct ContributionShare;
class TransitionRequests;
class EaseWatcher;

// A gesture that goes with a source's words (posewire.gesture.v1.SpeechGesture), in seconds from
// this tick.
struct SpeechGestureInput {
  static constexpr int kTopic = 10;  // SpeechGesture.TOPIC: concerns more than the arms
  int kind = 0;
  int number = 0;
  float strength = 0;
  double stroke_in_s = 0;  // to the accented syllable
  double end_in_s = 0;     // to the end of the phrase
};

// What a live source provides at this tick.
struct ProviderInput {
  // Unique among all playbacks ever on this avatar; a new id is a new request.
  uint64_t playback_id = 0;
  absl::string_view source_service_id;
  skel::PoseView pose;  // in the avatar's rig, with presence
  bool owns_mouth = false;
  // Goes up by one whenever the stream makes the pose jump (resumed after starving, keys lost): the
  // graph eases over it.
  uint32_t discontinuities = 0;
  // True while the source starves beyond its hold: what is below has the body back.
  bool suspended = false;
  // The gesture that the source announced for this tick; null: none.
  const SpeechGestureInput* gesture = nullptr;
};

// A person in front of the avatar, as far as known. Places are metres in the avatar's space: origin
// on the ground between its feet, Y up, Z front, X to its left. A head at rest looks along its own
// +Z.
struct UserInput {
  absl::string_view name;
  bool has_head = false, has_left_hand = false, has_right_hand = false, has_gaze = false;
  skel::Vec3 head, left_hand, right_hand;
  skel::Quat head_rotation, left_hand_rotation, right_hand_rotation;
  skel::Vec3 gaze;  // the point that the user looks at
  bool speaks = false;
};

// Another avatar of the same stream, in this avatar's space.
struct NeighbourInput {
  absl::string_view target_object_id;
  skel::Vec3 head;
  // How loud its voice was at its last tick: dB of full scale; -100 is silence.
  float voice_db = -100;
};

// A named point of a prop, in the avatar's space. A hand that takes it there has its thumb towards
// the site's +Y and its fingers towards its +Z (skel::HandGrip).
struct PropSiteInput {
  absl::string_view name;
  skel::Placement place;
  bool any_side = false;    // a hand may come from any side about +Y
  skel::Placement in_hand;  // in the grip's frame of the hand that holds the prop
};

// A thing in the stream's scene, in this avatar's space.
struct PropInput {
  absl::string_view name;
  skel::Placement place;
  absl::Span<const PropSiteInput> sites = {};
  int hand = -1;  // of this avatar that holds it: 0 left, 1 right
  skel::Placement in_hand;
};

// Times that differ by no more are the same: ticks add up inexactly.
inline constexpr double kOnTime_s = 1e-9;

// What an avatar learns from outside at one tick.
struct Inputs {
  absl::Span<const ProviderInput> providers;  // live sources, in the order in which they started
  absl::Span<const UserInput> users = {};
  absl::Span<const NeighbourInput> neighbours = {};
  EaseWatcher* watcher = nullptr;
  absl::Span<const PropInput> props = {};
};

// An event that a graph reports in a tick.
struct GraphEvent {
  enum Kind : uint8_t {
    kGestureStarted,      // name: the clip
    kGestureEnded,        // name: the clip; played to its end
    kGestureInterrupted,  // name: the clip
    kArrangementEnded,    // name: the arrangement
    kTimelineEvent,       // name: the event
    kTimelineEnded,       // name: the timeline
    kStateEntered,        // name: the state
    kUserActed,           // name: what somebody did, as of graph::NameOf(UserAct)
    kPropReached,         // name: the target that a hand has reached
    kPropOutOfReach,      // name: the target as near to which a hand has come as it can
    kPlaceReached,        // name: the target to which the avatar has walked
  };
  Kind kind;
  absl::string_view node;  // both live as long as the graph
  absl::string_view name;
};

// The graph's own camera, in the avatar's space; it looks along its -Z.
struct CameraView {
  skel::Vec3 position;
  skel::Quat rotation;
  float focal_length_mm = 50;
};

// What a tick outputs besides the pose.
struct TickOutputs {
  static constexpr int kMostEvents = 16;
  std::array<GraphEvent, kMostEvents> events;
  int event_count = 0;
  int lost_events = 0;  // of all ticks: did not fit
  bool has_camera = false;
  CameraView camera;
  // Events that nodes fire for the next tick, as bits.
  uint64_t fire = 0;

  void Tell(const GraphEvent& event) {
    if (event_count == kMostEvents) {
      ++lost_events;
      return;
    }
    events[static_cast<size_t>(event_count++)] = event;
  }
};

struct TickContext {
  int64_t tick = 0;
  double time_s = 0;  // of this tick, from the avatar's start
  double dt_s = 0;    // since the last evaluated tick
  Random* rng = nullptr;
  const Inputs* inputs = nullptr;
  const clip::ClipLibrary* clips = nullptr;
  Variables* variables = nullptr;  // null only where a node without variables is tested alone
  uint64_t fired = 0;              // bit i: event i of the graph was fired since the last tick
  TickOutputs* outputs = nullptr;  // null: nobody listens
  // Where a node's Evaluate asks for easing of what it makes jump; empty when Evaluate begins.
  // Null: nothing is eased.
  TransitionRequests* asks = nullptr;
  // Null: nobody asks which clips are seen (libs/graph/contributions.h).
  ContributionStore* contributions = nullptr;
};

class Node {
 public:
  virtual ~Node() = default;
  // Advances the node to this tick; `weight` (0..1) is how much of it will be seen.
  virtual void Update(const TickContext& ctx, float weight) = 0;
  // Writes the node's pose with presence into `out`, which has the rig's size. Only after Update.
  // Where the pose jumps from the previous tick it asks for easing (ctx.asks), of more elements
  // rather than fewer: those that did not jump are left alone.
  virtual void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) = 0;

  // Tells which clips and live sources its last pose comes from, with `share` of each joint of this
  // pose being seen. Only after Evaluate, for the same tick, and only if ctx.contributions is
  // there. Poses that no clip made are nobody's.
  virtual void Contribute(const TickContext& ctx, const ContributionShare& share,
                          ContributionList& out) const {
    (void)ctx, (void)share, (void)out;
  }

  // What plays here, for nodes above that wait for its end or keep clips in step. A node that only
  // changes another's pose passes these on. Seconds until the end of what plays, at the present
  // speed; infinite if it has no end.
  virtual double remaining_s() const { return std::numeric_limits<double>::infinity(); }
  // How far it is through its cycle, 0..1 between sync marks; below 0 if it has none.
  virtual double phase() const { return -1; }
  virtual void SetPhase(double phase) { (void)phase; }
  // Seconds of a whole cycle at speed 1; 0 if it has none.
  virtual double cycle_s() const { return 0; }
  // Scales the speed, so that clips of different lengths keep step.
  virtual void SetPace(double pace) { (void)pace; }
  // Starts from the beginning at the next Update.
  virtual void Restart() {}

  // Takes over the state of the node of the same name in the graph that this one replaces, if it is
  // of the same kind. Not on the frame path.
  virtual void Adopt(const Node& old) { (void)old; }
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_NODE_H_
