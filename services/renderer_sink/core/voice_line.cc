#include "services/renderer_sink/core/voice_line.h"

#include <samplerate.h>

#include <algorithm>
#include <cmath>

namespace posewire::renderer_sink {

void VoiceLine::Free::operator()(SRC_STATE_tag* s) const { src_delete(s); }

VoiceLine::VoiceLine() = default;
VoiceLine::~VoiceLine() = default;

void VoiceLine::Begin(int rate_hz) {
  EndRun();
  if (rate_hz == rate_hz_) return;
  rate_hz_ = rate_hz;
  converter_.reset();
  if (rate_hz == kRate_hz) return;
  int error = 0;
  converter_.reset(src_new(SRC_SINC_MEDIUM_QUALITY, 1, &error));
}

void VoiceLine::Append(int64_t at, absl::Span<const int16_t> samples) {
  if (!running_) {
    running_ = true;
    run_at_ = at;
    run_in_ = run_made_ = 0;
  }
  run_in_ += static_cast<int64_t>(samples.size());
  if (converter_ == nullptr) {
    Write(samples);
  } else {
    Convert(samples, /*end=*/false);
  }
}

void VoiceLine::EndRun() {
  if (running_ && converter_ != nullptr) {
    Convert({}, /*end=*/true);
    src_reset(converter_.get());
  }
  running_ = false;
}

void VoiceLine::Convert(absl::Span<const int16_t> samples, bool end) {
  constexpr size_t kBlock = 4096;
  in_.resize(samples.size() + 1);
  src_short_to_float_array(samples.data(), in_.data(), static_cast<int>(samples.size()));
  out_.resize(kBlock);
  made_.resize(kBlock);
  // The converter may make a sample more than there is time for.
  const int64_t due = (run_in_ * kRate_hz + rate_hz_ / 2) / rate_hz_;
  SRC_DATA data{};
  data.data_in = in_.data();
  data.input_frames = static_cast<long>(samples.size());
  data.src_ratio = static_cast<double>(kRate_hz) / rate_hz_;
  data.end_of_input = end ? 1 : 0;
  do {
    data.data_out = out_.data();
    data.output_frames = kBlock;
    if (src_process(converter_.get(), &data) != 0) return;
    const int64_t keep = std::clamp<int64_t>(due - run_made_, 0, data.output_frames_gen);
    src_float_to_short_array(out_.data(), made_.data(), static_cast<int>(keep));
    Write(absl::MakeConstSpan(made_).subspan(0, static_cast<size_t>(keep)));
    data.data_in += data.input_frames_used;
    data.input_frames -= data.input_frames_used;
  } while (data.output_frames_gen > 0 || data.input_frames_used > 0);
}

void VoiceLine::Write(absl::Span<const int16_t> samples) {
  int64_t at = run_at_ + run_made_;
  run_made_ += static_cast<int64_t>(samples.size());
  const auto size = static_cast<int64_t>(samples.size());
  const int64_t late = std::clamp<int64_t>(front_ - at, 0, size);
  late_ += late;
  at += late;
  samples.remove_prefix(static_cast<size_t>(late));
  const int64_t room = std::max<int64_t>(0, front_ + kMostAhead - at);
  samples = samples.subspan(0, std::min(samples.size(), static_cast<size_t>(room)));
  if (samples.empty()) return;
  const auto first = static_cast<size_t>(at - front_);
  if (first + samples.size() > samples_.size()) samples_.resize(first + samples.size());
  std::copy(samples.begin(), samples.end(), samples_.begin() + static_cast<ptrdiff_t>(first));
}

void VoiceLine::Take(int64_t first, absl::Span<int16_t> out) {
  const auto drop = [this](int64_t samples) {
    const auto held = std::min(static_cast<size_t>(samples), samples_.size());
    samples_.erase(samples_.begin(), samples_.begin() + static_cast<ptrdiff_t>(held));
    front_ += samples;
  };
  drop(first - front_);
  const size_t held = std::min(out.size(), samples_.size());
  std::copy_n(samples_.begin(), held, out.begin());
  std::fill(out.begin() + static_cast<ptrdiff_t>(held), out.end(), int16_t{0});
  drop(static_cast<int64_t>(out.size()));
}

}  // namespace posewire::renderer_sink
