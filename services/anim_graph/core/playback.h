// One request while an avatar plays it: buffered data and playing position.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PLAYBACK_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PLAYBACK_H_

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "libs/graph/node.h"
#include "libs/skel/key_track.h"
#include "libs/skel/pose.h"
#include "libs/stream/budget.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_writer.h"
#include "libs/wire/source_binding.h"
#include "services/anim_graph/core/announced_signs.h"
#include "services/anim_graph/core/audio_track.h"
#include "services/anim_graph/core/live_clock.h"
#include "services/anim_graph/core/metadata_queue.h"
#include "services/anim_graph/core/pushed_clips.h"
#include "services/anim_graph/core/settings.h"
#include "services/anim_graph/core/tick_scratch.h"

namespace posewire::anim_graph {

enum class PlayState {
  kQueued,  // waits for its turn, or for its prebuffer
  kPlaying,
  kStarved,      // out of data: holds the pose, then releases the body, until it has enough data to
                 // continue
  kBlendingOut,  // no more data will come; the graph blends to its own pose
  kOver,
};
using stream::Ending;

// How far a request has played.
struct Progress {
  bool plays = false;
  double zero_s = 0;  // time code at which it started
  int64_t ticks = 0;
  // The next sample of its voice, at the output rate, and how many samples of its tick have been
  // played; below 0: given by the ticks.
  int64_t sample = -1;
  size_t samples_of_tick = 0;
};

enum class SourceState { kOpen, kEnded, kLost };

struct PlaybackCounters {
  int64_t late_keys = 0;
  int64_t repeated_keys = 0;
  int64_t zero_rotations = 0;
  int64_t normalized_rotations = 0;
  int64_t stalls = 0;
  int64_t missing_samples = 0;
  int64_t unread_contributions = 0;
  int64_t dropped_poses = 0;  // metadata entries with the key of quantised poses
};

// Buffers the chunks of one request and plays them in whole ticks of its avatar. Append allocates;
// Advance and SamplePose do not. Times are seconds of the avatar's clock. One thread.
class Playback {
 public:
  Playback(uint64_t id, wire::StreamHeader header, wire::SourceBinding binding,
           const SourceSettings& source, const EngineSettings& engine,
           std::shared_ptr<const skel::Rig> rig, stream::Budget* buffered = nullptr);

  uint64_t id() const { return id_; }
  const wire::StreamHeader& header() const { return header_; }
  const SourceSettings& settings() const { return source_; }
  const wire::SourceBinding& binding() const { return binding_; }
  PlayState state() const { return state_; }
  Ending ending() const { return ending_; }
  SourceState source_state() const { return source_state_; }
  const PlaybackCounters& counters() const { return counters_; }
  const AudioTrack* audio() const { return audio_ ? &*audio_ : nullptr; }

  // Nothing before the start.
  std::optional<Progress> progress() const;
  // Continues a request that another process has played up to here; nothing: that had not started
  // it. Call first. The request waits for its source, and one that had started also for the first
  // pull of the avatar, until `until_s`.
  void Continue(const std::optional<Progress>& progress, double now_s, double until_s);

  // --- Called for the source Keys and samples that are already buffered are dropped and counted.
  void Append(const wire::DataChunk& chunk, double now_s);
  // Adds an entry to the first frame that shows the request, before the source's own metadata for
  // that frame.
  void TellFirst(wire::MetadataEntry entry) { metadata_.AppendFirst(std::move(entry)); }
  // The source sent a status. If no data follows, the data before it was the last: running out of
  // data is then the end.
  void StatusSeen() { status_seen_ = true; }
  void SourceEnded();
  // The push was lost. Plays the buffered data, then waits up to `wait_s` after the pose has been
  // held, and continues at the same position if the source comes back.
  void SourceLost(double wait_s);
  // The push was resumed. Data that it repeats is dropped.
  void SourceBack();
  // The request's buffer or the process's budget is full. Do not read from the source.
  bool full() const;
  // Memory used, including the header.
  size_t bytes() const;
  // Returns whether the process has room for this chunk, or the chunk is small enough to accept
  // regardless.
  bool HasRoom(const wire::DataChunk& chunk) const;
  // Updates the process's budget to the current usage, in steps of 4 KiB. Returns full().
  bool CountBytes();
  // Time code up to which every track with data has been received; nothing if no data was received.
  std::optional<double> received_until_s() const;
  // How long a message that arrives now waits until it is displayed, to within a tick. Nothing for
  // a message without data, and while the request does not play.
  std::optional<double> WaitOf(const wire::DataChunk& chunk) const;
  // Seconds of buffered data ahead of the playing position. In live mode, silent audio is not
  // counted.
  double buffered_s() const;
  // Number of floats in a key of its widest track.
  size_t key_width() const;

  // --- Called by the avatar Returns whether the request, as the first one of its source, may start
  // at a tick at `now_s`.
  bool ReadyToStart(double now_s, bool avatar_was_pulled) const;
  // `late_ticks`: position in the request at which to start (if it is aligned to others by its
  // epoch).
  void Start(int64_t tick, double now_s, int64_t late_ticks = 0);
  // Unix time of the first time code to play, by the pushed epoch.
  double EpochStart() const {
    return header_.epoch_s + (has_started() ? zero_s_ : earliest_code_s_);
  }
  bool has_started() const { return first_tick_ != kNotStarted; }
  // Plays tick `tick` and writes its samples to `audio` (one tick's worth). Returns true if any of
  // them came from the buffer. Changes the state from kPlaying when data runs out or ends.
  bool Advance(int64_t tick, double now_s, bool avatar_was_pulled, absl::Span<int16_t> audio);
  // Ends the request now, from outside. FadeOut then provides the fading end of its voice.
  void End(Ending ending, int64_t tick);
  // Writes up to 20 ms of fading voice to the front of `audio`, once after End while playing.
  bool FadeOut(absl::Span<int16_t> audio);
  void SetOver() { state_ = PlayState::kOver; }

  // Samples the pose at the current position into `out`, which has the rig's size. provider()
  // refers to it afterwards, so `out` must stay valid.
  void SamplePose(TickScratch& scratch, const skel::PoseSpan& out);
  bool has_pose() const { return has_pose_; }  // a pose has been sampled at least once
  graph::ProviderInput provider() const;
  bool SampleCamera(wire::CameraSample& out);
  // Moves metadata that is due to `out`, oldest first. After 64 entries, the rest waits for the
  // next tick.
  void TakeMetadata(std::vector<wire::MetadataEntry>& out);

  int64_t first_tick() const { return first_tick_; }
  int64_t last_tick() const { return last_tick_; }  // the first tick that it no longer played
  double zero_s() const { return zero_s_; }
  // Position that the next tick shows, in the request's own time codes.
  double position_s() const;

 private:
  void SetZero(double zero_s);
  bool IsFull(size_t held) const;
  bool AdvanceStall(int64_t tick, bool waits, absl::Span<int16_t> audio);
  bool AdvanceLive(int64_t tick, double now_s, absl::Span<int16_t> audio);
  int64_t TakeLiveAudio(absl::Span<int16_t> out, bool more_to_come);
  int64_t SkipQuiet(int64_t most);
  bool Starved(size_t samples) const;
  double shown_s() const;
  void SampleAt(double time_code_s, TickScratch& scratch, const skel::PoseSpan& out);
  void MakeCamera();
  void AppendMetadata(const wire::DataChunk& chunk);
  void TakeContributions(double time_code_s, std::vector<wire::MetadataEntry>& entries);
  bool Exhausted() const;
  bool WaitsForVoice() const;
  bool LostAndDry() const;
  bool PrebufferFilled() const;
  double NewestKey() const;
  void Finish(Ending ending, int64_t tick);
  void Starve(int64_t tick);

  // Members used by every tick and every message, kept together.
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
  double first_data_s_ = 0;  // time of arrival
  double last_data_s_ = 0;
  double earliest_code_s_ = 0;
  double zero_s_ = 0;
  int64_t zero_tick_ = 0;  // time zero as a tick number of the request's own time, if it falls on a
                           // tick
  int64_t ticks_played_ = 0;
  static constexpr int64_t kNotStarted = std::numeric_limits<int64_t>::min();
  int64_t first_tick_ = kNotStarted;
  int64_t last_tick_ = 0;
  int64_t starved_ticks_ = 0;
  double lost_wait_s_ = 0;      // how long it waits for its lost source
  double awaited_until_s_ = 0;  // until when a continued request waits for source and pull
  int64_t lost_ticks_ = 0;      // how many ticks it has waited
  size_t played_of_tick_ =
      0;  // samples of the next tick that were played before the source was lost
  double live_code_s_ = 0;
  double last_shown_s_ = 0;
  double sampled_s_ = 0;  // position at which the pose was last sampled
  PlaybackCounters counters_;
  std::array<skel::KeyTrack, wire::kPoseTracks> pose_tracks_;
  std::vector<skel::KeyTrack> camera_tracks_;  // empty until a camera key is received
  MetadataQueue metadata_;
  AnnouncedSigns signs_;
  size_t fixed_bytes_;  // constant memory, mainly the names in the header
  stream::Reservation share_;
  std::optional<AudioTrack> audio_;
  wire::SourceBinding binding_;
  const std::shared_ptr<const skel::Rig> rig_;
  std::unique_ptr<PushedClips> clips_;  // null until the source says which clips it plays
  skel::PoseView shown_;                // the pose of this tick
  LiveClock live_clock_;

  const wire::StreamHeader header_;
  skel::Pose held_;  // the pose shown while out of data
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PLAYBACK_H_
