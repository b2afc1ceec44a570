// Messages of a pull, for tests.
#ifndef POSEWIRE_TESTS_UNIT_RENDERER_SINK_MESSAGES_H_
#define POSEWIRE_TESTS_UNIT_RENDERER_SINK_MESSAGES_H_

#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/message.h"
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

// As a client's reader gives them that has seen the header.
inline wire::Message Checked(const Message& message, const Message& header = HeaderOf(0)) {
  wire::FrameReader reader(wire::ClientLimits());
  wire::Message checked;
  for (const Message& m : {header, message}) {
    checked.bytes = std::make_shared<const std::string>(m.SerializeAsString());
    const absl::Span<const uint8_t> slices[] = {
        {reinterpret_cast<const uint8_t*>(checked.bytes->data()), checked.bytes->size()}};
    const absl::Status s = reader.Read(slices, &checked.chunk);
    EXPECT_TRUE(s.ok()) << s;
  }
  return checked;
}

inline wire::StreamHeader CheckedHeader(const Message& header) {
  return std::get<wire::StreamHeader>(Checked(header).chunk);
}

inline wire::DataChunk CheckedData(const Message& message, const Message& header = HeaderOf(0)) {
  return std::get<wire::DataChunk>(Checked(message, header).chunk);
}

// Bytes that are no message.
inline wire::MessageBytes Garbage() {
  return std::make_shared<const std::string>("\x12\xff no message");
}

// To a Consumer or a Recorder.
template <typename To>
absl::Status GiveHeader(To& to, const Message& header) {
  const wire::Message checked = Checked(header);
  return to.OnHeader(std::get<wire::StreamHeader>(checked.chunk), checked.bytes);
}

template <typename To>
absl::Status GiveData(To& to, const Message& message, double receive_s,
                      const Message& header = HeaderOf(0)) {
  const wire::Message checked = Checked(message, header);
  return to.OnData(std::get<wire::DataChunk>(checked.chunk), checked.bytes, receive_s);
}

template <typename To>
absl::Status GiveStatus(To& to, const Message& message) {
  const wire::Message checked = Checked(message);
  return to.OnStatus(std::get<wire::StatusChunk>(checked.chunk), checked.bytes);
}

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_TESTS_UNIT_RENDERER_SINK_MESSAGES_H_
