// One avatar: its requests, its graph and its voice, and one encoded frame per tick for all its
// pulls.
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
#include "libs/graph/graph_instance.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"
#include "libs/wire/contributions.h"
#include "libs/wire/frame_writer.h"
#include "libs/wire/sparse_pose.h"
#include "services/anim_graph/core/appearance_announcer.h"
#include "services/anim_graph/core/output.h"
#include "services/anim_graph/core/playback.h"
#include "services/anim_graph/core/prop_scene.h"
#include "services/anim_graph/core/settings.h"
#include "services/anim_graph/core/tick_scratch.h"

namespace posewire::anim_graph {

// A change of a request's state at a tick.
struct PlaybackEvent {
  enum Kind { kStarted, kUnderrun, kResumed, kEnded, kOver };
  Kind kind;
  uint64_t playback_id;
  double time_code_s;  // time code of the tick, in the avatar's own time
};

// A state machine without threads: call Offer with messages of sources, then Tick, then read frames
// and events. Tick does not allocate, lock or log. Times are seconds of one clock, passed in by the
// caller.
class Avatar {
 public:
  // `scratch` must outlive the avatar. `own_rig`: no other avatar uses this rig, and it is
  // destroyed with the avatar.
  Avatar(std::shared_ptr<const graph::GraphAsset> asset, const EngineSettings& settings,
         uint64_t seed, TickScratch* scratch, bool own_rig = false);

  const skel::Rig& rig() const { return *rig_; }
  const std::shared_ptr<const skel::Rig>& shared_rig() const { return rig_; }
  bool has_own_rig() const { return own_said_ != nullptr; }
  graph::GraphInstance& graph_instance() { return *graph_instance_; }
  const graph::GraphInstance& graph_instance() const { return *graph_instance_; }
  // Plays another graph, of the same rig, from the next tick on. Variables and the state of
  // corresponding nodes are kept, and the pose changes smoothly. Allocates.
  void SetGraphAsset(const std::shared_ptr<const graph::GraphAsset>& asset);
  // Input of the graph: users, other avatars and props. The spans must stay valid until the next
  // tick.
  void SetSurroundings(absl::Span<const graph::UserInput> users,
                       absl::Span<const graph::NeighbourInput> neighbours,
                       absl::Span<const graph::PropInput> props = {}) {
    users_ = users;
    neighbours_ = neighbours;
    props_ = props;
  }

  // The props of the avatar's stream, and the avatar's place among them, from now on. `scene` must
  // outlive the avatar.
  void SetScene(PropScene* scene, const skel::Placement& from) {
    scene_ = scene;
    from_ = from;
  }
  // Returns where a place on the body was at the last tick, in the avatar's own space.
  skel::Placement PlaceOf(const skel::BodySite& site) const;

  // The output format for one rig, made on first use. It is encoded while `users` is above 0.
  struct OutputFormat {
    std::optional<wire::FrameWriter> own_writer;
    std::unique_ptr<Output> output;
    int users = 0;
    wire::EncodedFrame frame = {};  // of the last tick, until Sweep
    bool contributions = false;     // adds metadata about the clips that contributed to the pose
    wire::PoseForm form = wire::PoseForm::kComplete;
    // Not null for other forms: `frame` has only what changed. `whole`, encoded while at least one
    // pull owes its consumer a complete pose (`incomplete`), has the pose that all others hold.
    std::unique_ptr<wire::SparsePose> kept = nullptr;
    int incomplete = 0;
    wire::EncodedFrame whole = {};
  };
  absl::StatusOr<OutputFormat*> OpenOutputFormat(const std::shared_ptr<const skel::Rig>& rig,
                                                 bool contributions = false,
                                                 wire::PoseForm form = wire::PoseForm::kComplete);
  // Call after `users` of a layout has changed. Allocates when contributions become wanted or
  // unwanted.
  void NoteUsers();

  // A request that has started goes on. RESOURCE_EXHAUSTED if too many requests of its source are
  // queued.
  absl::Status Add(std::unique_ptr<Playback> playback);

  // A pull has opened. Requests in stall mode wait a short time for the first pull.
  void SetPulled() { pulled_ = true; }
  // A new pull gets frames from the next tick on: send the appearance and the props again.
  void TellAppearance() {
    appearance_.TellAgain();
    props_told_.again = true;
  }
  bool pulled() const { return pulled_; }
  // Returns whether a queued request is the first waiting one of its source while no request of
  // that source plays.
  bool IsNext(const Playback& playback) const;
  bool busy() const { return !playbacks_.empty(); }
  // What sources said last about who is shown.
  AppearanceAnnouncer& appearance() { return appearance_; }

  // Evaluates tick k, which must be after the last one. Missed ticks lose only their pose; their
  // audio is included in this frame. After a gap of more than `max_gap_s`, missed audio is not made
  // up for: requests stall over the gap.
  void Tick(int64_t k, double now_s);

  int64_t tick() const { return tick_; }
  // Time code of the first tick whose audio is in the newest frame: that of tick(), or earlier
  // after missed ticks.
  double frame_start_s() const { return settings_.fps.SecondsAt(frame_start_); }
  const std::vector<PlaybackEvent>& events() const { return events_; }
  const std::vector<std::unique_ptr<Playback>>& playbacks() const { return playbacks_; }
  skel::PoseView pose() const { return pose_.view(); }
  int64_t missed_ticks() const { return missed_ticks_; }
  int64_t holes() const { return holes_; }
  // Drops the frames (which have been sent), the events (which have been read) and the playbacks
  // that are over. Call between ticks.
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
  // Encodes all formats that are pulled and have, or have not, contributions.
  void EncodeFormats(const wire::OutputFrame& frame, bool contributions);
  void EncodeWithContributions(wire::OutputFrame& frame);

  std::shared_ptr<const skel::Rig> rig_;
  const EngineSettings& settings_;
  uint64_t seed_;
  TickScratch& scratch_;
  std::unique_ptr<SourcePoses> own_said_;  // if the avatar has its own rig; null: uses the
                                           // scratch's
  std::unique_ptr<graph::GraphInstance> graph_instance_;
  absl::Span<const graph::UserInput> users_;
  absl::Span<const graph::NeighbourInput> neighbours_;
  std::vector<std::unique_ptr<OutputFormat>> output_formats_;
  std::vector<std::unique_ptr<Playback>> playbacks_;  // in order of arrival
  std::vector<Playback*> active_;                     // in order of start
  std::vector<PlaybackEvent> events_;
  skel::Pose pose_;
  AppearanceAnnouncer appearance_;
  PropScene* scene_ = nullptr;
  skel::Placement from_;
  PropsTold props_told_;
  absl::Span<const graph::PropInput> props_;
  std::unique_ptr<wire::ContributionsWriter> contributions_;  // null: no pull wants contributions
  bool pulled_ = false;
  bool started_ = false;
  int64_t tick_ = -1;
  int64_t frame_start_ = -1;
  int64_t missed_ticks_ = 0;
  int64_t holes_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_AVATAR_H_
