#include "services/anim_graph/core/resampler.h"

#include <samplerate.h>

#include <algorithm>
#include <cmath>

namespace posewire::anim_graph {
namespace {
constexpr size_t kBlock = 4096;
}  // namespace

void Resampler::Free::operator()(SRC_STATE_tag* s) const { src_delete(s); }

Resampler::Resampler(int in_hz, int out_hz) : in_hz_(in_hz), out_hz_(out_hz) {
  if (in_hz == out_hz) return;
  in_.reserve(static_cast<size_t>(in_hz) / 8 + 1);
  out_.reserve(kBlock);
  samples_.resize(kBlock);
  int error = 0;
  state_.reset(src_new(SRC_SINC_MEDIUM_QUALITY, 1, &error));
}

Resampler::~Resampler() = default;
Resampler::Resampler(Resampler&&) noexcept = default;
Resampler& Resampler::operator=(Resampler&&) noexcept = default;

void Resampler::Process(absl::Span<const int16_t> in, SampleQueue& out) {
  if (state_ == nullptr) {
    out.Append(in);
    return;
  }
  taken_ += static_cast<int64_t>(in.size());
  Run(in, false, out);
}

void Resampler::Flush(SampleQueue& out) {
  if (state_ == nullptr) return;
  Run({}, true, out);
  // The converter may end one sample short of the exact count.
  const int64_t due = (2 * taken_ * out_hz_ + in_hz_) / (2 * in_hz_);
  out.AppendSilence(due - made_);
  src_reset(state_.get());
  taken_ = made_ = 0;
}

void Resampler::Run(absl::Span<const int16_t> in, bool end, SampleQueue& out) {
  in_.resize(in.size() + 1);
  src_short_to_float_array(in.data(), in_.data(), static_cast<int>(in.size()));
  out_.resize(kBlock);
  const int64_t due = (2 * taken_ * out_hz_ + in_hz_) / (2 * in_hz_);
  SRC_DATA data{};
  data.data_in = in_.data();
  data.input_frames = static_cast<long>(in.size());
  data.src_ratio = static_cast<double>(out_hz_) / static_cast<double>(in_hz_);
  data.end_of_input = end ? 1 : 0;
  while (true) {
    data.data_out = out_.data();
    data.output_frames = static_cast<long>(out_.size());
    if (src_process(state_.get(), &data) != 0) return;
    const int64_t keep = std::clamp<int64_t>(due - made_, 0, data.output_frames_gen);
    const auto made = absl::MakeSpan(samples_).subspan(0, static_cast<size_t>(keep));
    for (size_t i = 0; i < made.size(); ++i) {
      const float s = std::clamp(out_[i] * 32768.0f, -32768.0f, 32767.0f);
      made[i] = static_cast<int16_t>(std::lrint(s));
    }
    out.Append(made);
    made_ += keep;
    data.data_in += data.input_frames_used;
    data.input_frames -= data.input_frames_used;
    if (data.output_frames_gen == 0 && data.input_frames == 0) return;
    if (data.output_frames_gen == 0 && data.input_frames_used == 0) return;
  }
}

}  // namespace posewire::anim_graph
