#include "services/anim_graph/core/playback.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "libs/wire/memory_of.h"
#include "libs/wire/quantised_pose.h"

namespace posewire::anim_graph {
namespace {

constexpr double kSlack_s = 1e-6;  // time codes are doubles converted from decimals
// No further message is started in a tick that has this many entries, since each entry is compared
// with all others.
constexpr size_t kMetadataATick = 64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLiveQuiet_s = 0.1;  // no new data for this long: starved
constexpr double kFade_s = 0.02;
constexpr double kBeforePosition_s = 0.1;
// A request starts at most this long after its first data.
constexpr double kStartAfterData_s = 0.5;
// A request may buffer this much, and receive a message of this size, even if the process-wide
// budget is full.
constexpr size_t kLeastBufferBytes = 64 << 10;
constexpr int64_t kCountedBytes = 4096;
// If keys are at most this far ahead of the voice, more voice is expected. If they reach further,
// the source has finished the request.
constexpr double kVoiceBehind_s = 0.5;
constexpr int16_t kSilenceLevel = 66;  // -54 dB: below it samples may be dropped or added

}  // namespace

Playback::Playback(uint64_t id, wire::StreamHeader header, wire::SourceBinding binding,
                   const SourceSettings& source, const EngineSettings& engine,
                   std::shared_ptr<const skel::Rig> rig, stream::Budget* buffered)
    : id_(id),
      source_(source),
      engine_(engine),
      pose_tracks_{skel::KeyTrack(static_cast<int>(header.shapes.size()), false),
                   skel::KeyTrack(3 * static_cast<int>(header.joints.size()), false),
                   skel::KeyTrack(4 * static_cast<int>(header.joints.size()), true),
                   skel::KeyTrack(3 * static_cast<int>(header.joints.size()), false)},
      fixed_bytes_(sizeof(Playback) + wire::MemoryOf(header)),
      share_(buffered),
      binding_(std::move(binding)),
      rig_(std::move(rig)),
      header_(std::move(header)),
      held_(rig_->joints(), rig_->shapes()) {
  if (header_.audio_rate_hz) audio_.emplace(*header_.audio_rate_hz, engine.audio_rate_hz);
  CountBytes();
}

std::optional<Progress> Playback::progress() const {
  if (!has_started()) return std::nullopt;
  return Progress{state_ == PlayState::kPlaying, zero_s_, ticks_played_,
                  audio_ ? audio_->position() : -1, played_of_tick_};
}

void Playback::Continue(const std::optional<Progress>& progress, double now_s, double until_s) {
  source_state_ = SourceState::kLost;
  awaited_until_s_ = until_s;
  lost_wait_s_ = until_s - now_s;
  if (!progress) return;
  state_ = PlayState::kStarved;
  suspended_ = true;
  starved_ticks_ = engine_.fps.TickAtOrBefore(engine_.hold_s) + 1;
  first_tick_ = -progress->ticks;
  ticks_played_ = progress->ticks;
  SetZero(progress->zero_s);
  live_code_s_ = zero_s_ + engine_.fps.SecondsAt(ticks_played_);
  // The source repeats the messages next to the position, but their metadata was sent.
  if (ticks_played_ > 0 && source_.mode == Mode::kStall) metadata_.SetNewest(shown_s());
  if (!audio_) return;
  played_of_tick_ = progress->samples_of_tick;
  if (progress->sample >= 0) {
    audio_->StartAtSample(progress->sample);
  } else {
    audio_->StartAt(position_s());
  }
}

void Playback::SetZero(double zero_s) {
  const double snapped = timecode::SnapToTick(zero_s, engine_.fps);
  zero_tick_ = engine_.fps.NearestTick(snapped);
  zero_on_tick_ = engine_.fps.SecondsAt(zero_tick_) == snapped;
  zero_s_ = snapped;
}

void Playback::Append(const wire::DataChunk& chunk, double now_s) {
  const bool started = state_ != PlayState::kQueued;
  const double not_before_s = started ? zero_s_ : 0;
  const bool something = std::isfinite(chunk.earliest_time_code_s) || !chunk.metadata.empty();
  if (something && !has_data_) {
    has_data_ = true;
    first_data_s_ = now_s;
    earliest_code_s_ = kInfinity;
  }
  if (!started) earliest_code_s_ = std::min(earliest_code_s_, chunk.earliest_time_code_s);
  if (something) last_data_s_ = now_s;
  // A status followed by more data was not the last message.
  if (something) status_seen_ = false;

  double newest_live_s = -1;
  for (size_t t = 0; t < wire::kPoseTracks; ++t) {
    const auto& block = chunk.pose[t];
    if (block.empty()) continue;
    const int left_out = pose_tracks_[t].Append(block.time_codes_s, block.values, not_before_s);
    (started && block.time_codes_s.front() < zero_s_ ? counters_.late_keys
                                                     : counters_.repeated_keys) += left_out;
    newest_live_s = std::max(newest_live_s, block.time_codes_s.back());
  }
  for (size_t t = 0; t < wire::kCameraTracks; ++t) {
    if (chunk.camera[t].empty()) continue;
    if (camera_tracks_.empty()) MakeCamera();
    camera_tracks_[t].Append(chunk.camera[t].time_codes_s, chunk.camera[t].values, not_before_s);
    newest_live_s = std::max(newest_live_s, chunk.camera[t].time_codes_s.back());
  }
  if (chunk.audio && audio_) {
    if (newest_live_s < 0) newest_live_s = chunk.audio->time_code_s;
    audio_->Append(*chunk.audio, not_before_s);
  }
  if (!chunk.metadata.empty()) AppendMetadata(chunk);
  counters_.zero_rotations += chunk.zero_rotations;
  counters_.normalized_rotations += chunk.normalized_rotations;
  if (source_.mode == Mode::kLive && newest_live_s >= 0) live_clock_.Arrived(now_s, newest_live_s);
}

void Playback::MakeCamera() {
  const std::array<int, wire::kCameraTracks> widths = {3, 4, 1, 1};
  for (int t = 0; t < wire::kCameraTracks; ++t) {
    camera_tracks_.emplace_back(widths[static_cast<size_t>(t)], t == wire::kCameraRotation);
  }
}

void Playback::AppendMetadata(const wire::DataChunk& chunk) {
  const std::optional<double> code = metadata_.Admit(chunk);
  std::vector<wire::MetadataEntry> entries = chunk.metadata;
  // What the pose is made of is a state, and goes on after a resumed call.
  TakeContributions(code.value_or(chunk.earliest_time_code_s), entries);
  if (!code) return;
  // The key is the server's own: it would hide the pose of a frame from those that get it
  // quantised.
  counters_.dropped_poses += std::erase_if(
      entries, [](const wire::MetadataEntry& e) { return e.key == wire::kQuantisedPoseKey; });
  signs_.Append(*code, entries);
  if (!entries.empty()) metadata_.Append(*code, std::move(entries));
}

// Pulls that ask get those of the whole pose instead (Avatar::EncodeWithContributions).
void Playback::TakeContributions(double time_code_s, std::vector<wire::MetadataEntry>& entries) {
  std::erase_if(entries, [&](const wire::MetadataEntry& entry) {
    if (entry.key != wire::kContributionsKey) return false;
    const auto said = wire::ReadContributions(entry);
    if (!said) {
      ++counters_.unread_contributions;
      return true;
    }
    if (clips_ == nullptr) clips_ = std::make_unique<PushedClips>();
    clips_->Append(time_code_s, *said, *rig_);
    return true;
  });
}

void Playback::SourceLost(double wait_s) {
  source_state_ = SourceState::kLost;
  // No more data is expected after a status.
  lost_wait_s_ = status_seen_ ? 0 : wait_s;
  lost_ticks_ = 0;
}

void Playback::SourceBack() {
  source_state_ = SourceState::kOpen;
  metadata_.SetFloor(metadata_.newest_s());
  if (audio_) audio_->BeginsAgain();
}

void Playback::SourceEnded() {
  source_state_ = SourceState::kEnded;
  if (audio_) audio_->Finish();
}

double Playback::NewestKey() const {
  double newest = -kInfinity;
  for (const auto& t : pose_tracks_) {
    if (t.ever()) newest = std::max(newest, t.newest_s());
  }
  for (const auto& t : camera_tracks_) {
    if (t.ever()) newest = std::max(newest, t.newest_s());
  }
  return newest;
}

size_t Playback::bytes() const {
  size_t bytes = fixed_bytes_ + metadata_.bytes() + signs_.bytes();
  for (const auto& t : pose_tracks_) bytes += t.bytes();
  for (const auto& t : camera_tracks_) bytes += t.bytes();
  if (audio_) bytes += audio_->bytes();
  if (clips_ != nullptr) bytes += clips_->bytes();
  return bytes;
}

bool Playback::full() const { return IsFull(bytes()); }

bool Playback::CountBytes() {
  const size_t held = bytes();
  const auto now = static_cast<int64_t>(held);
  // Not for each message, because all threads write to the same counter.
  if (std::abs(now - share_.amount()) >= kCountedBytes) share_.Set(now);
  return IsFull(held);
}

bool Playback::IsFull(size_t held) const {
  return held >= engine_.buffer_bytes || buffered_s() >= engine_.buffer_s ||
         (held >= fixed_bytes_ + kLeastBufferBytes && share_.full());
}

bool Playback::HasRoom(const wire::DataChunk& chunk) const {
  return !share_.full() || wire::MemoryOf(chunk) <= kLeastBufferBytes;
}

double Playback::buffered_s() const {
  if (!has_data_) return 0;
  const double from = state_ == PlayState::kQueued ? earliest_code_s_ : position_s();
  const double keys_s = NewestKey() - from;
  if (!audio_ || !audio_->ever()) return std::max(0.0, keys_s);
  const bool live = source_.mode == Mode::kLive;
  return std::max({0.0, keys_s, live ? audio_->sound_s() : audio_->end_s() - from});
}

std::optional<double> Playback::WaitOf(const wire::DataChunk& chunk) const {
  if (state_ != PlayState::kPlaying || !std::isfinite(chunk.earliest_time_code_s))
    return std::nullopt;
  const double shown = shown_s();
  return std::isfinite(shown) ? std::max(0.0, chunk.earliest_time_code_s - shown) : 0.0;
}

std::optional<double> Playback::received_until_s() const {
  double held = kInfinity;
  for (const auto& t : pose_tracks_) {
    if (t.ever()) held = std::min(held, t.newest_s());
  }
  for (const auto& t : camera_tracks_) {
    if (t.ever()) held = std::min(held, t.newest_s());
  }
  if (audio_ && audio_->ever()) held = std::min(held, audio_->end_s());
  if (std::isfinite(held)) return held;
  // A continued request needs the keys next to its position.
  if (has_started() && !has_data_) return position_s() - kBeforePosition_s;
  return std::nullopt;
}

double Playback::position_s() const {
  if (source_.mode == Mode::kLive) return live_code_s_;
  if (zero_on_tick_) return engine_.fps.SecondsAt(zero_tick_ + ticks_played_);
  return zero_s_ + engine_.fps.SecondsAt(ticks_played_);
}

double Playback::shown_s() const {
  if (source_.mode == Mode::kLive) return source_.live_delay_s > 0 ? live_code_s_ : kInfinity;
  const int64_t n = std::max<int64_t>(0, ticks_played_ - 1);
  return zero_on_tick_ ? engine_.fps.SecondsAt(zero_tick_ + n) : zero_s_ + engine_.fps.SecondsAt(n);
}

bool Playback::PrebufferFilled() const {
  if (!has_data_) return false;
  const double from = state_ == PlayState::kQueued ? earliest_code_s_ : position_s();
  // If the header announces a voice, only the voice counts; otherwise the newest key.
  const double to = audio_ ? (audio_->ever() ? audio_->end_s() : -kInfinity) : NewestKey();
  return to - from >= source_.prebuffer_s - kSlack_s;
}

bool Playback::ReadyToStart(double now_s, bool avatar_was_pulled) const {
  if (!has_data_) return source_state_ != SourceState::kOpen && now_s >= awaited_until_s_;
  if (source_.mode == Mode::kStall && !avatar_was_pulled &&
      now_s < first_data_s_ + engine_.start_wait_s) {
    return false;
  }
  return PrebufferFilled() || full() || source_state_ != SourceState::kOpen ||
         now_s >= first_data_s_ + kStartAfterData_s;
}

void Playback::Start(int64_t tick, double now_s, int64_t late_ticks) {
  state_ = PlayState::kPlaying;
  first_tick_ = tick;
  SetZero(std::isfinite(earliest_code_s_) && has_data_ ? earliest_code_s_ : 0);
  ticks_played_ = late_ticks;
  if (audio_) audio_->StartAt(zero_s_ + engine_.fps.SecondsAt(late_ticks));
  if (source_.mode == Mode::kLive) {
    live_clock_.StartRunning(now_s);
    live_code_s_ = zero_s_;
  }
}

bool Playback::Advance(int64_t tick, double now_s, bool avatar_was_pulled,
                       absl::Span<int16_t> audio) {
  if (state_ != PlayState::kPlaying && state_ != PlayState::kStarved) return false;
  if (source_.mode == Mode::kLive) return AdvanceLive(tick, now_s, audio);
  return AdvanceStall(tick, !avatar_was_pulled && now_s < awaited_until_s_, audio);
}

bool Playback::Starved(size_t samples) const {
  if (source_state_ != SourceState::kOpen || full()) return false;
  if (audio_ && audio_->ever()) {
    return audio_->held() + static_cast<int64_t>(played_of_tick_) < static_cast<int64_t>(samples);
  }
  return NewestKey() < position_s() - kSlack_s;
}

bool Playback::Exhausted() const {
  if (audio_ && audio_->held() > 0) return false;
  if (!metadata_.empty()) return false;
  return NewestKey() < position_s() - kSlack_s;
}

// Returns whether more of the voice may still come.
bool Playback::WaitsForVoice() const {
  return audio_ && audio_->ever() && !full() && NewestKey() < audio_->end_s() + kVoiceBehind_s;
}

bool Playback::LostAndDry() const {
  if (source_state_ != SourceState::kLost) return false;
  return WaitsForVoice() ? audio_->held() == 0 : Exhausted();
}

void Playback::Starve(int64_t tick) {
  if (state_ == PlayState::kPlaying) {
    state_ = PlayState::kStarved;
    starved_ticks_ = 0;
    ++counters_.stalls;
  }
  ++starved_ticks_;
  const double starved_s = engine_.fps.SecondsAt(starved_ticks_);
  if (starved_s <= engine_.hold_s + kSlack_s) return;
  suspended_ = true;
  if (source_state_ != SourceState::kLost) return;
  if (engine_.fps.SecondsAt(++lost_ticks_) > lost_wait_s_ + kSlack_s) Finish(Ending::kLost, tick);
}

bool Playback::AdvanceStall(int64_t tick, bool waits, absl::Span<int16_t> audio) {
  if (state_ == PlayState::kStarved) {
    if (waits || LostAndDry() ||
        (source_state_ == SourceState::kOpen && !PrebufferFilled() && !full())) {
      Starve(tick);
      return false;
    }
    state_ = PlayState::kPlaying;
    suspended_ = false;
  }
  if (source_state_ == SourceState::kEnded && Exhausted()) {
    Finish(Ending::kEnded, tick);
    return false;
  }
  if (LostAndDry()) {
    Starve(tick);
    return false;
  }
  if (Starved(audio.size())) {
    if (!status_seen_) {
      Starve(tick);
      return false;
    }
    if (Exhausted()) {
      Finish(Ending::kEnded, tick);
      return false;
    }
  }
  bool spoke = false;
  if (audio_) {
    const size_t played = std::min(played_of_tick_, audio.size());
    const absl::Span<int16_t> rest = audio.subspan(played);
    std::fill_n(audio.begin(), played, int16_t{0});
    // The last samples of a lost source are played; the rest of their tick follows when it is back.
    if (source_state_ == SourceState::kLost && WaitsForVoice() &&
        audio_->held() < static_cast<int64_t>(rest.size())) {
      const auto last = static_cast<size_t>(audio_->held());
      audio_->Take(rest.first(last));
      std::fill(rest.begin() + static_cast<ptrdiff_t>(last), rest.end(), int16_t{0});
      played_of_tick_ = played + last;
      Starve(tick);
      return last > 0;
    }
    played_of_tick_ = 0;
    const int64_t given = audio_->Take(rest);
    spoke = given > 0;
    if (source_state_ == SourceState::kOpen && audio_->ever()) {
      counters_.missing_samples += static_cast<int64_t>(rest.size()) - given;
    }
  }
  ++ticks_played_;
  return spoke;
}

bool Playback::AdvanceLive(int64_t tick, double now_s, absl::Span<int16_t> audio) {
  if (has_data_)
    live_code_s_ = std::max(live_code_s_, live_clock_.CodeAt(now_s) - source_.live_delay_s);
  ++ticks_played_;
  const bool voice_left = audio_ && audio_->held() > 0;
  const bool shown_all = source_.live_delay_s <= 0 || NewestKey() <= live_code_s_;
  if (source_state_ == SourceState::kEnded && !voice_left && shown_all) {
    Finish(Ending::kEnded, tick);
    return false;
  }
  const bool quiet = now_s - last_data_s_ > kLiveQuiet_s + source_.live_delay_s;
  if (quiet && !voice_left) {
    if (status_seen_) {
      Finish(Ending::kEnded, tick);
    } else {
      Starve(tick);
    }
    live_audio_running_ = false;
    return false;
  }
  if (state_ == PlayState::kStarved) {
    state_ = PlayState::kPlaying;
    suspended_ = false;
    if (std::exchange(awaited_until_s_, 0) > 0) live_clock_.StartRunning(now_s);
  }
  return audio_ && TakeLiveAudio(audio, !quiet && source_state_ == SourceState::kOpen) > 0;
}

// Drops the next quiet samples except the last one, and at most `most`. Returns how many.
int64_t Playback::SkipQuiet(int64_t most) {
  if (most <= 0) return 0;
  int64_t quiet = audio_->silence();
  if (quiet == 0) {
    const auto sound = audio_->sound();
    const auto end = std::min(sound.size(), static_cast<size_t>(most) + 1);
    const auto loud = [](int16_t sample) { return std::abs(sample) > kSilenceLevel; };
    quiet = std::find_if(sound.begin(), sound.begin() + static_cast<ptrdiff_t>(end), loud) -
            sound.begin();
  }
  const int64_t skip = std::clamp<int64_t>(quiet - 1, 0, most);
  audio_->Skip(skip);
  return skip;
}

int64_t Playback::TakeLiveAudio(absl::Span<int16_t> out, bool more_to_come) {
  const auto prebuffer = static_cast<int64_t>(source_.prebuffer_s * engine_.audio_rate_hz);
  if (!live_audio_running_) {
    if (audio_->held() < prebuffer && more_to_come) return 0;
    live_audio_running_ = true;
  }
  // If too much is buffered, drop quiet samples. If too little, insert silence between quiet
  // samples.
  const auto tick = static_cast<int64_t>(out.size());
  int64_t excess = audio_->held() - std::max(2 * prebuffer, prebuffer + 2 * tick);
  int64_t made = 0;
  while (made < tick) {
    excess -= SkipQuiet(excess);
    if (audio_->held() == 0) break;
    // Copy a run up to the next place where a sample may be dropped.
    const int64_t run = excess > 0 ? 1 : std::min<int64_t>(tick - made, audio_->held());
    audio_->Take(out.subspan(static_cast<size_t>(made), static_cast<size_t>(run)));
    made += run;
  }
  std::fill(out.begin() + made, out.end(), int16_t{0});
  counters_.missing_samples += tick - made;
  if (made < tick) live_audio_running_ = false;
  return made;
}

void Playback::Finish(Ending ending, int64_t tick) {
  ending_ = ending;
  state_ = PlayState::kBlendingOut;
  last_tick_ = tick;
}

void Playback::End(Ending ending, int64_t tick) {
  if (state_ == PlayState::kBlendingOut || state_ == PlayState::kOver) return;
  fade_pending_ = state_ == PlayState::kPlaying && audio_.has_value();
  const bool ran = state_ != PlayState::kQueued;
  Finish(ending, tick);
  if (!ran) state_ = PlayState::kOver;
}

bool Playback::FadeOut(absl::Span<int16_t> audio) {
  if (!fade_pending_) return false;
  fade_pending_ = false;
  const auto most = static_cast<size_t>(kFade_s * engine_.audio_rate_hz);
  const size_t n = std::min({most, audio.size(), static_cast<size_t>(audio_->held())});
  audio_->Take(audio.subspan(0, n));
  for (size_t i = 0; i < n; ++i) {
    const float gain = 1 - static_cast<float>(i + 1) / static_cast<float>(n + 1);
    audio[i] = static_cast<int16_t>(std::lrint(static_cast<float>(audio[i]) * gain));
  }
  std::fill(audio.begin() + static_cast<ptrdiff_t>(n), audio.end(), int16_t{0});
  return n > 0;
}

size_t Playback::key_width() const {
  return std::max(4 * header_.joints.size(), header_.shapes.size());
}

void Playback::SamplePose(TickScratch& scratch, const skel::PoseSpan& out) {
  if (state_ != PlayState::kPlaying) {
    signs_.DropGesture();
    if (!holds_ && has_pose_) SampleAt(sampled_s_, scratch, held_.span());
    holds_ = true;
    shown_ = held_.view();
    return;
  }
  const double code = shown_s();
  // A live source that was silent for a moment has moved meanwhile.
  const double newest = std::min(code, NewestKey());
  if (newest - last_shown_s_ > kLiveQuiet_s && source_.mode == Mode::kLive) ++discontinuities_;
  last_shown_s_ = newest;
  SampleAt(code, scratch, out);
  signs_.Take(code);
  if (clips_ != nullptr) clips_->Advance(code, newest);
  shown_ = out;
  holds_ = false;
  has_pose_ = true;
}

void Playback::SampleAt(double time_code_s, TickScratch& scratch, const skel::PoseSpan& out) {
  wire::SourceBinding::Sample sample;
  for (size_t t = 0; t < wire::kPoseTracks; ++t) {
    skel::KeyTrack& track = pose_tracks_[t];
    const auto width = static_cast<size_t>(track.width());
    track.DiscardBefore(time_code_s);
    sample.track[t] = track.Sample(time_code_s, scratch.key(t, width));
  }
  binding_.Apply(sample, out);
  sampled_s_ = time_code_s;
}

graph::ProviderInput Playback::provider() const {
  graph::ProviderInput in;
  in.playback_id = id_;
  in.source_service_id = header_.source_service_id;
  in.pose = shown_;
  in.owns_mouth = binding_.owns_mouth();
  in.discontinuities = discontinuities_;
  in.suspended = suspended_;
  in.gesture = signs_.gesture();
  if (const auto& mood = signs_.mood()) in.arousal = mood->arousal, in.valence = mood->valence;
  if (clips_ != nullptr) in.clips = clips_->shown();
  return in;
}

bool Playback::SampleCamera(wire::CameraSample& out) {
  if (camera_tracks_.empty()) return false;
  const double code = shown_s();
  std::array<float, 4> v{};
  const auto sample = [&](size_t t, size_t width) {
    camera_tracks_[t].DiscardBefore(code);
    const auto value = camera_tracks_[t].Sample(code, absl::MakeSpan(v.data(), width));
    std::copy(value.begin(), value.end(), v.begin());
    return !value.empty();
  };
  out = {};
  if (sample(wire::kCameraPosition, 3)) {
    out.has_position = true;
    out.position = {v[0], v[1], v[2]};
  }
  if (sample(wire::kCameraRotation, 4)) {
    out.has_rotation = true;
    out.rotation = skel::Normalized(skel::Quat{v[0], v[1], v[2], v[3]});
  }
  if (sample(wire::kFocalLength, 1)) {
    out.has_focal_length = true;
    out.focal_length = v[0];
  }
  if (sample(wire::kFocusDistance, 1)) {
    out.has_focus_distance = true;
    out.focus_distance = v[0];
  }
  return out.has_position || out.has_rotation || out.has_focal_length || out.has_focus_distance;
}

void Playback::TakeMetadata(std::vector<wire::MetadataEntry>& out) {
  metadata_.TakeDue(shown_s() + kSlack_s, kMetadataATick, out);
}

}  // namespace posewire::anim_graph
