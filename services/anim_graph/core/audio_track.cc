#include "services/anim_graph/core/audio_track.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace posewire::anim_graph {
namespace {

// Silences for which ready_ has room. It ends soon after the first silence that is too long to be
// converted.
constexpr size_t kMostReadySilences = 8;

}  // namespace

AudioTrack::AudioTrack(int in_hz, int out_hz)
    : placer_(in_hz), resampler_(in_hz, out_hz), in_hz_(in_hz), out_hz_(out_hz) {
  // Room for the samples that Take converts.
  if (in_hz != out_hz) ready_.Reserve(2 * static_cast<size_t>(out_hz), kMostReadySilences);
}

void AudioTrack::Append(const wire::AudioBuffer& buffer, double not_before_s) {
  const bool first = !placer_.started();
  absl::Span<const int16_t> in(buffer.samples);
  double time_code_s = buffer.time_code_s;
  if (first) {
    // The time line begins at the first sample that can still be played.
    const int64_t early =
        timecode::SampleAt(not_before_s, in_hz_) - timecode::SampleAt(time_code_s, in_hz_);
    if (early > 0 && not_before_s > 0) {
      const auto cut = std::min(static_cast<size_t>(early), in.size());
      late_ += static_cast<int64_t>(cut);
      in.remove_prefix(cut);
      if (in.empty()) return;
      time_code_s = not_before_s;
    }
  }
  const auto placed = placer_.Place(time_code_s, static_cast<int64_t>(in.size()));
  if (first) first_ = timecode::SampleAt(time_code_s, out_hz_);
  dropped_ += placed.drop;
  silence_filled_ += placed.silence_before;
  in.remove_prefix(static_cast<size_t>(placed.drop));

  if (in_hz_ == out_hz_) {
    ready_.AppendSilence(placed.silence_before);
    ready_.Append(in);
    Pass();
    return;
  }
  Waiting run;
  // A short silence is converted like sound. After a long one the converter restarts, so that the
  // silence costs nothing.
  if (placed.silence_before >= in_hz_ / 4) {
    run.begin = OutPosition(placed.first_sample);
  } else {
    run.samples.resize(static_cast<size_t>(placed.silence_before));
  }
  run.samples.insert(run.samples.end(), in.begin(), in.end());
  if (run.samples.empty() && run.begin < 0) return;
  waiting_ += run.samples.size();
  waiting_runs_.push_back(std::move(run));
  finish_ = false;
  Convert(0);
}

int64_t AudioTrack::OutPosition(int64_t in_position) const {
  const auto scaled = static_cast<__int128>(2 * in_position) * out_hz_ + in_hz_;
  return static_cast<int64_t>(scaled / (2 * in_hz_));
}

void AudioTrack::Convert(int64_t want) {
  const auto chunk = static_cast<size_t>(in_hz_ / 8);
  want = std::max(want, out_hz_ / 4);
  while (!waiting_runs_.empty() && ready_end() - read_ < want) {
    Waiting& run = waiting_runs_.front();
    if (run.begin >= 0) {
      resampler_.Flush(ready_);
      ready_.AppendSilence(run.begin - ready_end());
      run.begin = -1;
      continue;
    }
    const size_t n = std::min(chunk, run.samples.size() - run.at);
    resampler_.Process(absl::MakeConstSpan(run.samples).subspan(run.at, n), ready_);
    run.at += n;
    waiting_ -= n;
    if (run.at == run.samples.size()) waiting_runs_.pop_front();
  }
  if (finish_ && waiting_runs_.empty()) {
    resampler_.Flush(ready_);
    finish_ = false;
  }
  Pass();
}

void AudioTrack::Finish() {
  finish_ = true;
  Convert(0);
}

void AudioTrack::StartAt(double time_code_s) {
  StartAtSample(timecode::SampleAt(time_code_s, out_hz_));
}

void AudioTrack::StartAtSample(int64_t position) {
  read_ = position;
  Convert(0);
}

int64_t AudioTrack::held() const {
  const int64_t end = waiting_runs_.empty() ? ready_end() : OutPosition(placer_.position());
  return std::max<int64_t>(0, end - read_);
}

double AudioTrack::sound_s() const {
  return static_cast<double>(ready_.sounds()) / static_cast<double>(out_hz_) +
         static_cast<double>(waiting_) / static_cast<double>(in_hz_);
}

double AudioTrack::end_s() const {
  return static_cast<double>(placer_.position()) / static_cast<double>(placer_.rate_hz());
}

int64_t AudioTrack::Take(absl::Span<int16_t> out) {
  const auto want = static_cast<int64_t>(out.size());
  Convert(want);
  const int64_t lead = ever() ? std::clamp<int64_t>(first_ - read_, 0, want) : want;
  const int64_t n = std::min(ready_.size(), want - lead);
  std::fill_n(out.begin(), lead, int16_t{0});
  ready_.Read(out.subspan(static_cast<size_t>(lead), static_cast<size_t>(n)));
  std::fill(out.begin() + lead + n, out.end(), int16_t{0});
  const int64_t given = (held() > 0 ? lead : 0) + n;
  read_ += want;
  Pass();
  return given;
}

void AudioTrack::Pass() {
  const int64_t passed = std::clamp<int64_t>(read_ - first_, 0, ready_.size());
  ready_.Drop(passed);
  first_ += passed;
}

void AudioTrack::Skip(int64_t samples) {
  read_ += std::min(samples, held());
  Convert(0);
}

absl::Span<const int16_t> AudioTrack::sound() const {
  if (read_ < first_) return {};
  return ready_.sound();
}

}  // namespace posewire::anim_graph
