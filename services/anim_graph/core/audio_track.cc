#include "services/anim_graph/core/audio_track.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace posewire::anim_graph {

void AudioTrack::Append(const wire::AudioBuffer& buffer, double not_before_s) {
  Compact();
  const bool first = !placer_.started();
  absl::Span<const int16_t> in(buffer.samples);
  double code_s = buffer.code_s;
  if (first) {
    // The line begins at the first sample that can still be played.
    const int64_t rate = placer_.rate_hz();
    const int64_t early = timecode::SampleAt(not_before_s, rate) - timecode::SampleAt(code_s, rate);
    if (early > 0 && not_before_s > 0) {
      const auto cut = std::min(static_cast<size_t>(early), in.size());
      late_ += static_cast<int64_t>(cut);
      in.remove_prefix(cut);
      if (in.empty()) return;
      code_s = not_before_s;
    }
  }
  const auto placed = placer_.Place(code_s, static_cast<int64_t>(in.size()));
  if (first) {
    first_ = timecode::SampleAt(code_s, static_cast<int64_t>(out_hz_));
  }
  dropped_ += placed.drop;
  silence_filled_ += placed.silence_before;
  static constexpr std::array<int16_t, 1024> kSilence{};
  for (int64_t left = placed.silence_before; left > 0;) {
    const int64_t n = std::min<int64_t>(left, kSilence.size());
    resampler_.Process(absl::MakeConstSpan(kSilence.data(), static_cast<size_t>(n)), samples_);
    left -= n;
  }
  in.remove_prefix(static_cast<size_t>(placed.drop));
  resampler_.Process(in, samples_);
}

void AudioTrack::Finish() { resampler_.Flush(samples_); }

void AudioTrack::StartAt(double code_s) {
  read_ = timecode::SampleAt(code_s, static_cast<int64_t>(out_hz_));
}

int64_t AudioTrack::held() const {
  const int64_t end = first_ + static_cast<int64_t>(samples_.size() - head_);
  return std::max<int64_t>(0, end - read_);
}

double AudioTrack::end_s() const {
  return static_cast<double>(placer_.position()) / static_cast<double>(placer_.rate_hz());
}

int64_t AudioTrack::Take(absl::Span<int16_t> out) {
  const auto want = static_cast<int64_t>(out.size());
  const int64_t lead = ever() ? std::clamp<int64_t>(first_ - read_, 0, want) : want;
  std::fill_n(out.begin(), lead, int16_t{0});
  int64_t n = 0;
  if (lead < want) {
    const int64_t offset = read_ + lead - first_;
    const auto size = static_cast<int64_t>(samples_.size() - head_);
    n = std::clamp<int64_t>(size - offset, 0, want - lead);
    const auto from = samples_.begin() + static_cast<ptrdiff_t>(head_) + offset;
    std::copy_n(from, n, out.begin() + lead);
    std::fill(out.begin() + lead + n, out.end(), int16_t{0});
  }
  const int64_t given = (held() > 0 ? lead : 0) + n;
  read_ += want;
  const int64_t passed =
      std::clamp<int64_t>(read_ - first_, 0, static_cast<int64_t>(samples_.size() - head_));
  head_ += static_cast<size_t>(passed);
  first_ += passed;
  return given;
}

void AudioTrack::Skip(int64_t samples) {
  const int64_t n = std::min(samples, held());
  read_ += n;
  const int64_t passed =
      std::clamp<int64_t>(read_ - first_, 0, static_cast<int64_t>(samples_.size() - head_));
  head_ += static_cast<size_t>(passed);
  first_ += passed;
}

absl::Span<const int16_t> AudioTrack::Peek() const {
  if (read_ < first_) return {};
  auto all = absl::MakeConstSpan(samples_).subspan(head_);
  return all.subspan(std::min(static_cast<size_t>(read_ - first_), all.size()));
}

void AudioTrack::Compact() {
  if (head_ > 0 && head_ >= samples_.size() / 2) {
    samples_.erase(samples_.begin(), samples_.begin() + static_cast<ptrdiff_t>(head_));
    head_ = 0;
  }
}

}  // namespace posewire::anim_graph
