// One request on its way through an avatar: what is buffered of it, and where it plays.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PLAYBACK_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PLAYBACK_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "libs/graph/node.h"
#include "libs/skel/key_track.h"
#include "libs/skel/pose.h"
#include "libs/stream/budget.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_writer.h"
#include "libs/wire/source_binding.h"
#include "libs/wire/speech_gesture.h"
#include "services/anim_graph/core/audio_track.h"
#include "services/anim_graph/core/live_clock.h"
#include "services/anim_graph/core/settings.h"
#include "services/anim_graph/core/tick_scratch.h"

namespace posewire::anim_graph {

enum class PlayState {
  kQueued,  // waits for its turn, or for its prebuffer
  kPlaying,
  kStarved,      // holds, then has given the body back, until there is enough to go on
  kBlendingOut,  // has said its last; the graph eases away from it
  kOver,
};
using stream::Ending;
enum class SourceState { kOpen, kEnded, kLost };

struct PlaybackCounters {
  int64_t late_keys = 0;
  int64_t repeated_keys = 0;
  int64_t zero_rotations = 0;
  int64_t normalized_rotations = 0;
  int64_t stalls = 0;
  int64_t missing_samples = 0;
};

// Buffers the chunks of one request and plays them by whole ticks of its avatar. Append allocates;
// Advance and SamplePose do not. Times are seconds of the avatar's clock. One thread.
class Playback {
 public:
  Playback(uint64_t id, wire::StreamHeader header, wire::SourceBinding binding,
           const SourceSettings& source, const EngineSettings& engine, int joints, int shapes,
           stream::Budget* buffered = nullptr);

  uint64_t id() const { return id_; }
  const wire::StreamHeader& header() const { return header_; }
  const SourceSettings& settings() const { return source_; }
  const wire::SourceBinding& binding() const { return binding_; }
  PlayState state() const { return state_; }
  Ending ending() const { return ending_; }
  SourceState source_state() const { return source_state_; }
  const PlaybackCounters& counters() const { return counters_; }
  const AudioTrack* audio() const { return audio_ ? &*audio_ : nullptr; }

  // --- What the source does.
  // What is already held is dropped and counted.
  void Append(const wire::DataChunk& chunk, double now_s);
  // Goes out with the first frame that shows it, before what the source says of that frame.
  void TellFirst(wire::MetadataEntry entry);
  // When no data follows it, it was the last word: starving is then the end.
  void StatusSeen() { status_seen_ = true; }
  void SourceEnded();
  // What it holds plays. Then it rests, up to `wait_s` after it has held its pose, and goes on
  // where it stopped when the source is back.
  void SourceLost(double wait_s);
  // A resumed call goes on; what it repeats is dropped.
  void SourceBack();
  // More than the buffer may hold, or than is left of that of the process: the source is not to be
  // read.
  bool full() const;
  // Memory that it takes, with its header.
  size_t bytes() const;
  // Whether the process has room for this chunk, or it is small enough to be taken all the same.
  bool HasRoom(const wire::DataChunk& chunk) const;
  // Tells the budget of the process what it takes now, to 4 KiB; gives full().
  bool CountBytes();
  // Code up to which every track that carried anything is held; nothing when nothing came.
  std::optional<double> held_s() const;
  // How long a message that came now waits until it is shown, within a tick; nothing for one
  // without data, and while the request does not play.
  std::optional<double> WaitOf(const wire::DataChunk& chunk) const;
  // Seconds of data ahead of what plays. In live mode the voice counts by its sound: silence is
  // left out.
  double buffered_s() const;
  // Floats in a key of its widest track.
  size_t key_width() const;

  // --- What the avatar does.
  // Whether the request, being the first of its source, may start at a tick at `now_s`.
  bool ReadyToStart(double now_s, bool avatar_was_pulled) const;
  // `late_ticks`: how far into the request it starts (when it is aligned to others by its epoch).
  void Start(int64_t tick, double now_s, int64_t late_ticks = 0);
  // Unix time of the first code that it will show, by the pushed epoch.
  double EpochStart() const {
    return header_.epoch_s + (has_started() ? zero_s_ : earliest_code_s_);
  }
  bool has_started() const { return first_tick_ >= 0; }
  // Plays tick `tick`, writing its samples to `audio` (as many as the tick has). Returns true when
  // it spoke at all. Leaves kPlaying for another state as its data calls for.
  bool Advance(int64_t tick, double now_s, absl::Span<int16_t> audio);
  // Ends it now, from outside; `audio` samples still to be faded are taken by FadeOut.
  void End(Ending ending, int64_t tick);
  // Writes up to 20 ms of fading voice to the front of `audio`, once after End while playing.
  bool FadeOut(absl::Span<int16_t> audio);
  void SetOver() { state_ = PlayState::kOver; }

  // Samples the pose at the place that was reached, into `out`, which has the rig's size;
  // afterwards provider() shows it, as long as `out` holds it.
  void SamplePose(TickScratch& scratch, const skel::PoseSpan& out);
  bool has_pose() const { return has_pose_; }  // has been sampled at all
  graph::ProviderInput provider() const;
  bool SampleCamera(wire::CameraSample& out);
  // Moves the metadata that has become due to `out`, oldest first; of more than 64 entries the rest
  // waits for the next tick.
  void TakeMetadata(std::vector<wire::MetadataEntry>& out);

  int64_t first_tick() const { return first_tick_; }
  int64_t last_tick() const { return last_tick_; }  // the first tick that it did not play any more
  double zero_s() const { return zero_s_; }
  // Place in the request's own codes that the next tick shows.
  double position_s() const;

 private:
  bool IsFull(size_t held) const;
  bool AdvanceStall(int64_t tick, absl::Span<int16_t> audio);
  bool AdvanceLive(int64_t tick, double now_s, absl::Span<int16_t> audio);
  int64_t TakeLiveAudio(absl::Span<int16_t> out, bool more_to_come);
  int64_t SkipQuiet(int64_t most);
  bool Starved(size_t samples) const;
  double shown_s() const;
  void SampleAt(double code_s, TickScratch& scratch, const skel::PoseSpan& out);
  void MakeCamera();
  void AppendMetadata(const wire::DataChunk& chunk);
  void TakeGesture(double code_s);
  bool Exhausted() const;
  bool WaitsForVoice() const;
  bool LostAndDry() const;
  bool PrebufferFilled() const;
  double NewestKey() const;
  void Finish(Ending ending, int64_t tick);
  void Starve(int64_t tick);

  // What each tick and each message touches, together.
  const uint64_t id_;
  PlayState state_ = PlayState::kQueued;
  Ending ending_ = Ending::kNone;
  SourceState source_state_ = SourceState::kOpen;
  bool status_seen_ = false;
  bool has_data_ = false;
  bool zero_on_tick_ = false;
  bool suspended_ = false;
  bool fade_pending_ = false;
  bool live_audio_running_ = false;
  bool holds_ = false;
  bool has_pose_ = false;
  uint32_t discontinuities_ = 0;
  const SourceSettings source_;
  const EngineSettings& engine_;
  double first_data_s_ = 0;  // when it came
  double last_data_s_ = 0;
  double earliest_code_s_ = 0;
  double zero_s_ = 0;
  int64_t zero_tick_ = 0;  // zero as a tick of the request's own codes, when it lies on one
  int64_t ticks_played_ = 0;
  int64_t first_tick_ = -1;
  int64_t last_tick_ = 0;
  int64_t starved_ticks_ = 0;
  double lost_wait_s_ = 0;  // how long it rests for its lost source
  int64_t lost_ticks_ = 0;  // that it has
  size_t played_of_tick_ =
      0;  // samples of the next tick that were played before the source was lost
  double live_code_s_ = 0;
  double last_shown_s_ = 0;
  double sampled_s_ = 0;  // where the pose was sampled last
  size_t metadata_head_ = 0;
  size_t metadata_bytes_ = 0;
  double newest_metadata_s_ = -1;
  double metadata_floor_s_ = -1;  // a resumed call repeats what lies at or before it
  PlaybackCounters counters_;
  std::array<skel::KeyTrack, wire::kPoseTracks> pose_tracks_;
  std::vector<skel::KeyTrack> camera_tracks_;  // none until something came
  struct PendingMetadata {
    double code_s;
    std::vector<wire::MetadataEntry> entries;
  };
  std::vector<PendingMetadata> metadata_;
  // Gestures announced in metadata: those to come, and the one of this tick.
  struct PendingGesture {
    double code_s;
    wire::SpeechGesture gesture;
  };
  std::vector<PendingGesture> gestures_;
  size_t gestures_head_ = 0;
  bool has_gesture_ = false;
  graph::SpeechGestureInput gesture_;
  size_t fixed_bytes_;  // of what neither comes nor goes: the names of the header above all
  stream::Share share_;
  std::optional<AudioTrack> audio_;
  wire::SourceBinding binding_;
  skel::PoseView shown_;  // the pose of this tick
  LiveClock live_clock_;

  const wire::StreamHeader header_;
  skel::Pose held_;  // what is shown while it starves
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PLAYBACK_H_
