// The interface of animation graph nodes, and their inputs and outputs.
//
// A graph belongs to one avatar and one thread. Each tick, Update runs from the output towards the
// inputs, with weights; then Evaluate runs for the active nodes only. Neither allocates, locks or
// logs.
#ifndef POSEWIRE_LIBS_GRAPH_NODE_H_
#define POSEWIRE_LIBS_GRAPH_NODE_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
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

// A gesture that accompanies a source's words (posewire.gesture.v1.SpeechGesture), in seconds from
// this tick.
struct SpeechGestureInput {
  static constexpr int kTopic = 10;  // SpeechGesture.TOPIC: concerns more than the arms
  int kind = 0;
  int number = 0;
  float strength = 0;
  double stroke_in_s = 0;  // until the accented syllable
  double end_in_s = 0;     // until the end of the phrase
};

// A clip that a source says it plays.
struct PushedClip {
  absl::string_view name;
  uint64_t hash = 0;  // clip::Clip::content_hash
  double time_s = 0;
  float weight = 1;
  bool additive = false, mirrored = false;
  bool frozen = false;                  // its time does not advance
  absl::Span<const float> joints = {};  // its share of each of its joints; empty: `weight` of all
  absl::Span<const int> partners = {};  // if mirrored: each joint's on the other side

  // For the entry after the last joint, of the shapes as a whole.
  float share(size_t joint) const { return joint < joints.size() ? joints[joint] : weight; }
  // The clip's joint that moves this one of the pose, and the reverse.
  size_t partner(size_t joint) const {
    return joint < partners.size() ? static_cast<size_t>(partners[joint]) : joint;
  }
};

// The input from a live source at this tick.
struct ProviderInput {
  // Unique among all playbacks ever on this avatar; a new id means a new request.
  uint64_t playback_id = 0;
  absl::string_view source_service_id;
  skel::PoseView pose;  // on the avatar's rig, with presence
  bool owns_mouth = false;
  // Incremented whenever the stream makes the pose jump (resumed after running out of data, keys
  // lost). The graph eases the jump.
  uint32_t discontinuities = 0;
  // True after the source has run out of data and its hold is over: the nodes below control the
  // body again.
  bool suspended = false;
  // The gesture announced by the source for this tick; null: none.
  const SpeechGestureInput* gesture = nullptr;
  // The clips that the pose is made of, as far as the source says.
  absl::Span<const PushedClip> clips = {};
  // The mood in the source's voice, -1 .. 1, as far as it says.
  std::optional<float> arousal = {}, valence = {};
};

// A named point of a user, such as an elbow, in the avatar's space.
struct UserPointInput {
  absl::string_view name;
  skel::Vec3 at;
};

// A person in front of the avatar, as far as known. Places are metres in the avatar's space: origin
// on the ground between its feet, Y up, Z front, X to its left. A head at rest looks along its own
// +Z.
struct UserInput {
  absl::string_view name;
  bool has_head = false, has_left_hand = false, has_right_hand = false, has_gaze = false;
  skel::Vec3 head, left_hand, right_hand;
  skel::Quat head_rotation, left_hand_rotation, right_hand_rotation;
  std::optional<skel::Vec3> hips, left_foot, right_foot;
  skel::Vec3 gaze;  // the point at which the user looks
  bool speaks = false;
  absl::Span<const UserPointInput> points = {};
  absl::string_view mood;                 // its name; empty: none
  std::optional<float> arousal, valence;  // of the mood, -1 .. 1
  float liveliness = 0;                   // how much the user moves: 0 still .. 1 lively
};

// Another avatar of the same stream, in this avatar's space.
struct NeighbourInput {
  absl::string_view target_object_id;
  skel::Vec3 head;
  // Loudness of its voice at its last tick: dB relative to full scale; -100 is silence.
  float voice_db = -100;
};

// A named point of a prop, in the avatar's space. A hand that holds the prop there has its thumb
// towards the site's +Y and its fingers towards its +Z (skel::HandGrip).
struct PropSiteInput {
  absl::string_view name;
  skel::Placement place;
  bool any_side = false;    // a hand may approach from any side about +Y
  skel::Placement in_hand;  // in the grip's frame of the hand that holds the prop
};

// An object in the stream's scene, in this avatar's space.
struct PropInput {
  absl::string_view name;
  skel::Placement place;
  absl::Span<const PropSiteInput> sites = {};
  int hand = -1;  // of this avatar, if one holds it: 0 left, 1 right
  skel::Placement in_hand;
};

// Times that differ by at most this are equal, because ticks add up inexactly.
inline constexpr double kOnTime_s = 1e-9;

// All outside input of an avatar at one tick.
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
    kUserActed,           // name: the act, see graph::NameOf(UserAct)
    kPropReached,         // name: the target that a hand has reached
    kPropOutOfReach,      // name: the target to which a hand has come as near as it can
    kPlaceReached,        // name: the target to which the avatar has walked
  };
  Kind kind;
  absl::string_view node;  // both are valid as long as the graph
  absl::string_view name;
};

// The graph's own camera, in the avatar's space; it looks along its -Z.
struct CameraView {
  skel::Vec3 position;
  skel::Quat rotation;
  float focal_length_mm = 50;
};

// Outputs of a tick in addition to the pose.
struct TickOutputs {
  static constexpr int kMostEvents = 16;
  std::array<GraphEvent, kMostEvents> events;
  int event_count = 0;
  int lost_events = 0;  // over all ticks: did not fit
  bool has_camera = false;
  CameraView camera;
  // Events that nodes fire for the next tick, and those that this tick saw, as bits.
  uint64_t fire = 0, fired = 0;

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
  double time_s = 0;  // of this tick, since the avatar's start
  double dt_s = 0;    // since the last evaluated tick
  Random* rng = nullptr;
  const Inputs* inputs = nullptr;
  const clip::ClipLibrary* clips = nullptr;
  Variables* variables = nullptr;  // null only in tests of a single node without variables
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
  // Advances the node to this tick; `weight` (0..1) is its visible share.
  virtual void Update(const TickContext& ctx, float weight) = 0;
  // Writes the node's pose with presence into `out`, which has the rig's size. Call after Update.
  // If the pose jumps from the previous tick, requests easing (ctx.asks), rather of too many
  // elements than too few: those that did not jump are not changed.
  virtual void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) = 0;

  // Adds the clips and live sources of its last pose to `out`, where `share` is the visible share
  // of each joint of this pose. Call after Evaluate, for the same tick, and only if
  // ctx.contributions is set. Procedural poses add nothing.
  virtual void Contribute(const TickContext& ctx, const ContributionShare& share,
                          ContributionList& out) const {
    (void)ctx, (void)share, (void)out;
  }

  // Playback state, for nodes above that wait for its end or synchronise clips. A node that only
  // changes another's pose passes these on. Returns the seconds until the end of playback, at the
  // current speed; infinite if it has no end.
  virtual double remaining_s() const { return std::numeric_limits<double>::infinity(); }
  // Position in its cycle, 0..1 between sync marks; below 0 if it has no cycle.
  virtual double phase() const { return -1; }
  virtual void SetPhase(double phase) { (void)phase; }
  // Duration of a whole cycle at speed 1, in seconds; 0 if it has none.
  virtual double cycle_s() const { return 0; }
  // Scales the speed, to synchronise clips of different lengths.
  virtual void SetPace(double pace) { (void)pace; }
  // Restarts from the beginning at the next Update.
  virtual void Restart() {}
  // The place of the camera in the file of the clip that plays; null: there is none.
  virtual const skel::Vec3* camera_at() const { return nullptr; }

  // Takes the state of the node with the same name in the replaced graph, if it is of the same
  // kind. Not called on the frame path.
  virtual void Adopt(const Node& old) { (void)old; }
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_NODE_H_
