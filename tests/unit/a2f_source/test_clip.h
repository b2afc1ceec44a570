// Small clips for tests, as files in a directory of the test's own.
#ifndef POSEWIRE_TESTS_UNIT_A2F_SOURCE_TEST_CLIP_H_
#define POSEWIRE_TESTS_UNIT_A2F_SOURCE_TEST_CLIP_H_

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "libs/clipio/clip_writer.h"
#include "libs/wire/message.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::a2f_source {

using nvidia_ace::animation_data::v1::AnimationData;
using nvidia_ace::animation_data::v1::AnimationDataStream;
using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;

inline AnimationDataStream HeaderMessage(uint32_t audio_rate_hz = 16000) {
  AnimationDataStream message;
  auto& header = *message.mutable_animation_data_stream_header();
  header.mutable_animation_ids()->set_stream_id("recorded");
  header.mutable_animation_ids()->set_target_object_id("recorded");
  header.mutable_skel_animation_header()->add_blend_shapes("jawOpen");
  if (audio_rate_hz > 0) {
    header.mutable_audio_header()->set_channel_count(1);
    header.mutable_audio_header()->set_bits_per_sample(16);
    header.mutable_audio_header()->set_samples_per_second(audio_rate_hz);
  }
  return message;
}

inline void AddKey(double time_code_s, AnimationData& data) {
  auto& key = *data.mutable_skel_animation()->add_blend_shape_weights();
  key.set_time_code(time_code_s);
  key.add_values(static_cast<float>(time_code_s));
}

inline AnimationDataStream FrameMessage(double time_code_s, size_t samples = 0) {
  AnimationDataStream message;
  AddKey(time_code_s, *message.mutable_animation_data());
  if (samples > 0) {
    auto& audio = *message.mutable_animation_data()->mutable_audio();
    audio.set_time_code(time_code_s);
    audio.set_audio_buffer(std::string(samples * 2, 'a'));
  }
  return message;
}

// The same as a source gives them.
inline wire::StreamHeader SourceHeader() {
  wire::StreamHeader header;
  header.shapes = {"jawOpen"};
  header.audio_rate_hz = 16000;
  return header;
}

inline wire::Message FrameAt(double time_code_s) {
  wire::DataChunk data;
  data.pose[wire::kWeights] = {1, {time_code_s}, {static_cast<float>(time_code_s)}};
  return wire::MakeMessage(std::move(data));
}

inline std::string WriteClip(const std::string& name,
                             const std::vector<AnimationDataStream>& messages) {
  std::string path = ::testing::TempDir() + "a2f_source_" + name;
  auto writer = clipio::ClipWriter::Open(path);
  EXPECT_TRUE(writer.ok()) << writer.status();
  for (const auto& message : messages) EXPECT_TRUE((*writer)->Write(message).ok());
  EXPECT_TRUE((*writer)->Close().ok());
  return path;
}

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_TESTS_UNIT_A2F_SOURCE_TEST_CLIP_H_
