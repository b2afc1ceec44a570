// Messages of a pull, for tests.
#ifndef POSEWIRE_TESTS_UNIT_RENDERER_SINK_MESSAGES_H_
#define POSEWIRE_TESTS_UNIT_RENDERER_SINK_MESSAGES_H_

#include <cmath>
#include <string>

#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::renderer_sink {

using Message = nvidia_ace::animation_data::v1::AnimationDataStream;

inline Message HeaderOf(double epoch_s, uint32_t audio_rate_hz = 16000) {
  Message message;
  auto& header = *message.mutable_animation_data_stream_header();
  header.mutable_animation_ids()->set_stream_id("s1");
  header.mutable_skel_animation_header()->add_blend_shapes("jawOpen");
  header.mutable_skel_animation_header()->add_joints("hips");
  header.set_start_time_code_since_epoch(epoch_s);
  if (audio_rate_hz > 0) {
    header.mutable_audio_header()->set_channel_count(1);
    header.mutable_audio_header()->set_bits_per_sample(16);
    header.mutable_audio_header()->set_samples_per_second(audio_rate_hz);
  }
  return message;
}

// Tick k at 30 frames a second, as a compositor sends it: samples floor(k R / fps) to
// floor((k + 1) R / fps), each of which holds the low 16 bits of its number.
inline Message TickOf(int64_t k, bool pose = true, int64_t rate_hz = 16000) {
  Message message;
  auto& data = *message.mutable_animation_data();
  if (pose) {
    auto& key = *data.mutable_skel_animation()->add_blend_shape_weights();
    key.set_time_code(static_cast<double>(k) / 30);
    key.add_values(static_cast<float>(k));
  }
  const int64_t first = k * rate_hz / 30, end = (k + 1) * rate_hz / 30;
  data.mutable_audio()->set_time_code(static_cast<double>(first) / static_cast<double>(rate_hz));
  std::string pcm;
  for (int64_t n = first; n < end; ++n) {
    pcm += static_cast<char>(n & 0xFF);
    pcm += static_cast<char>(n >> 8 & 0xFF);
  }
  data.mutable_audio()->set_audio_buffer(pcm);
  return message;
}

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_TESTS_UNIT_RENDERER_SINK_MESSAGES_H_
