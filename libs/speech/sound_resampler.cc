#include "libs/speech/sound_resampler.h"

#include <samplerate.h>

namespace posewire::speech {

void SoundResampler::Free::operator()(SRC_STATE_tag* s) const { src_delete(s); }

SoundResampler::SoundResampler(int rate_hz, int to_hz)
    : ratio_(static_cast<double>(to_hz) / rate_hz) {
  if (rate_hz == to_hz) return;
  int error = 0;
  state_.reset(src_new(SRC_SINC_FASTEST, 1, &error));
}

SoundResampler::~SoundResampler() = default;
SoundResampler::SoundResampler(SoundResampler&&) noexcept = default;
SoundResampler& SoundResampler::operator=(SoundResampler&&) noexcept = default;

void SoundResampler::Process(absl::Span<const float> sound, std::vector<float>& out) {
  if (state_ == nullptr) {
    out.insert(out.end(), sound.begin(), sound.end());
    return;
  }
  constexpr size_t kBlock = 512;
  SRC_DATA data{};
  data.data_in = sound.data();
  data.input_frames = static_cast<long>(sound.size());
  data.src_ratio = ratio_;
  for (;;) {
    const size_t before = out.size();
    out.resize(before + kBlock);
    data.data_out = out.data() + before;
    data.output_frames = kBlock;
    const bool failed = src_process(state_.get(), &data) != 0;
    out.resize(before + (failed ? 0 : static_cast<size_t>(data.output_frames_gen)));
    data.data_in += data.input_frames_used;
    data.input_frames -= data.input_frames_used;
    const bool idle = data.output_frames_gen == 0 && data.input_frames_used == 0;
    if (failed || idle || (data.input_frames == 0 && data.output_frames_gen < data.output_frames)) {
      return;
    }
  }
}

}  // namespace posewire::speech
