// One avatar: its requests, its graph, its voice, and one encoded frame a tick for all its pulls.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_AVATAR_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_AVATAR_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/graph/composite.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"
#include "libs/wire/contributions.h"
#include "libs/wire/frame_writer.h"
#include "services/anim_graph/core/appearance_teller.h"
#include "services/anim_graph/core/output.h"
#include "services/anim_graph/core/playback.h"
#include "services/anim_graph/core/prop_scene.h"
#include "services/anim_graph/core/settings.h"
#include "services/anim_graph/core/tick_scratch.h"

namespace posewire::anim_graph {

// What happened to a request at a tick.
struct PlaybackEvent {
  enum Kind { kStarted, kUnderrun, kResumed, kEnded, kOver };
  Kind kind;
  uint64_t playback_id;
  double code_s;  // of the tick, in the avatar's own codes
};

// A machine without threads: Offer what sources say, Tick, and read frames and events. Nothing is
// allocated, locked or logged within Tick. Times are seconds of one clock that is passed in.
class Avatar {
 public:
  // `scratch` outlives it. `own_rig`: it is of no other avatar, and goes with this one.
  Avatar(std::shared_ptr<const graph::GraphPlan> plan, const EngineSettings& settings,
         uint64_t seed, TickScratch* scratch, bool own_rig = false);

  const skel::Rig& rig() const { return *rig_; }
  const std::shared_ptr<const skel::Rig>& shared_rig() const { return rig_; }
  bool has_own_rig() const { return own_said_ != nullptr; }
  graph::Composite& composite() { return *composite_; }
  const graph::Composite& composite() const { return *composite_; }
  // Plays another graph, of the same rig, from the next tick on: variables and the state of like
  // nodes go along, and what is shown changes smoothly. Allocates.
  void SetPlan(const std::shared_ptr<const graph::GraphPlan>& plan);
  // What the graph learns of users, of other avatars and of things; all live until the next tick.
  void SetSurroundings(absl::Span<const graph::UserInput> users,
                       absl::Span<const graph::NeighbourInput> neighbours,
                       absl::Span<const graph::PropInput> props = {}) {
    users_ = users;
    neighbours_ = neighbours;
    props_ = props;
  }

  // The things of its stream, which outlive it, and where it stands among them, from now on.
  void SetScene(PropScene* scene, const skel::Placement& from) {
    scene_ = scene;
    from_ = from;
  }
  // Where its left (0) or right (1) hand holds things at its last tick, in its own space; nothing
  // where its rig has no such hand. Allocates at its first call.
  std::optional<skel::Placement> Grip(int hand);

  // The layout for a rig, made on first use. Layouts are encoded while `users` is above 0.
  struct Layout {
    std::optional<wire::FrameWriter> own_writer;
    std::unique_ptr<Output> output;
    int users = 0;
    wire::EncodedFrame frame = {};  // of the last tick, until Sweep
    bool contributions = false;     // with metadata that say which clips are seen
  };
  absl::StatusOr<Layout*> OpenLayout(const std::shared_ptr<const skel::Rig>& rig,
                                     bool contributions = false);
  // After `users` of a layout has changed. Allocates when contributions are asked for, or no more.
  void NoteUsers();

  // RESOURCE_EXHAUSTED when too many requests of its source are queued.
  absl::Status Add(std::unique_ptr<Playback> playback);

  // Stall requests wait for the first pull a while; this says that it has come.
  void SetPulled() { pulled_ = true; }
  // A pull gets frames from the next tick on, and has not heard who is shown, among which things.
  void TellAppearance() {
    appearance_.TellAgain();
    props_told_.again = true;
  }
  bool pulled() const { return pulled_; }
  // Whether a queued request is the first of its source that waits, and nothing of that source
  // plays.
  bool IsNext(const Playback& playback) const;
  bool busy() const { return !playbacks_.empty(); }

  // Evaluates tick k, which lies after the last one. Ticks that were missed lose their pose only;
  // their audio is in this frame. Over `hole_s` nothing is made up: requests stall over the hole.
  void Tick(int64_t k, double now_s);

  int64_t tick() const { return tick_; }
  const std::vector<PlaybackEvent>& events() const { return events_; }
  const std::vector<std::unique_ptr<Playback>>& playbacks() const { return playbacks_; }
  skel::PoseView pose() const { return pose_.view(); }
  int64_t missed_ticks() const { return missed_ticks_; }
  int64_t holes() const { return holes_; }
  // Forgets the frames, which have been sent, the events, which were read, and the playbacks that
  // are over; called between ticks.
  void Sweep();

 private:
  void AdvanceTo(int64_t k, double now_s);
  void StartReady(Policy policy, int64_t k, double now_s);
  void InterruptBefore(size_t index, int64_t k);
  bool MayStart(const Playback& p, int64_t k, double now_s, int64_t& late_ticks);
  void AdvanceOne(Playback& p, int64_t k, double now_s);
  Playback* Current(absl::string_view source) const;
  void Report(PlaybackEvent::Kind kind, const Playback& p, int64_t k);
  void Compose(int64_t k, double dt_s);
  SourcePoses& said() { return own_said_ != nullptr ? *own_said_ : scratch_.said(); }
  void MoveHeldProps(double dt_s);
  void Encode(int64_t k, int64_t first_audio_tick);
  void EncodeWithContributions(wire::OutputFrame& frame);

  std::shared_ptr<const skel::Rig> rig_;
  const EngineSettings& settings_;
  uint64_t seed_;
  TickScratch& scratch_;
  std::unique_ptr<SourcePoses> own_said_;  // of an own rig; null: the scratch's
  std::unique_ptr<graph::Composite> composite_;
  absl::Span<const graph::UserInput> users_;
  absl::Span<const graph::NeighbourInput> neighbours_;
  std::vector<std::unique_ptr<Layout>> layouts_;
  std::vector<std::unique_ptr<Playback>> playbacks_;  // in order of arrival
  std::vector<Playback*> active_;                     // in order of start
  std::vector<PlaybackEvent> events_;
  skel::Pose pose_;
  AppearanceTeller appearance_;
  PropScene* scene_ = nullptr;
  skel::Placement from_;
  PropsTold props_told_;
  std::unique_ptr<std::array<skel::HandGrip, 2>> grips_;  // once something was held
  absl::Span<const graph::PropInput> props_;
  std::unique_ptr<wire::ContributionsWriter> contributions_;  // null: nobody asks
  bool pulled_ = false;
  bool started_ = false;
  int64_t tick_ = -1;
  int64_t missed_ticks_ = 0;
  int64_t holes_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_AVATAR_H_
