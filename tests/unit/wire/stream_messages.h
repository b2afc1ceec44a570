// Protobuf messages for tests, and a reader that takes them.
#ifndef POSEWIRE_TESTS_UNIT_WIRE_STREAM_MESSAGES_H_
#define POSEWIRE_TESTS_UNIT_WIRE_STREAM_MESSAGES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/wire/frame_reader.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::wire {

namespace ace = nvidia_ace::animation_data::v1;

inline absl::Span<const uint8_t> AsBytes(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

inline absl::StatusOr<Chunk> ReadBytes(FrameReader& reader, const std::string& bytes) {
  const absl::Span<const uint8_t> slices[] = {AsBytes(bytes)};
  return reader.Read(slices);
}

inline absl::StatusOr<Chunk> Read(FrameReader& reader, const ace::AnimationDataStream& message) {
  return ReadBytes(reader, message.SerializeAsString());
}

// Two shapes, three joints, 16 kHz.
inline ace::AnimationDataStream SmallHeader() {
  ace::AnimationDataStream message;
  auto& header = *message.mutable_animation_data_stream_header();
  header.mutable_animation_ids()->set_request_id("r");
  header.mutable_animation_ids()->set_stream_id("s");
  header.mutable_audio_header()->set_channel_count(1);
  header.mutable_audio_header()->set_samples_per_second(16000);
  header.mutable_audio_header()->set_bits_per_sample(16);
  auto& names = *header.mutable_skel_animation_header();
  names.add_blend_shapes("JawOpen");
  names.add_blend_shapes("MouthClose");
  names.add_joints("Root");
  names.add_joints("Root/Hips");
  names.add_joints("Root/Hips/Spine1");
  header.set_start_time_code_since_epoch(1000.5);
  return message;
}

inline void AddWeights(double code, const std::vector<float>& values, ace::AnimationDataStream* m) {
  auto& key = *m->mutable_animation_data()->mutable_skel_animation()->add_blend_shape_weights();
  key.set_time_code(code);
  key.mutable_values()->Assign(values.begin(), values.end());
}

inline ace::AnimationDataStream Weights(double code, const std::vector<float>& values) {
  ace::AnimationDataStream message;
  AddWeights(code, values, &message);
  return message;
}

using Float3s = std::vector<std::array<float, 3>>;
using Quats = std::vector<std::array<float, 4>>;

inline void Fill(double code, const Float3s& values, ace::Float3ArrayWithTimeCode* key) {
  key->set_time_code(code);
  for (const auto& v : values) {
    auto& f = *key->add_values();
    f.set_x(v[0]), f.set_y(v[1]), f.set_z(v[2]);
  }
}

inline void AddTranslations(double code, const Float3s& values, ace::AnimationDataStream* m) {
  Fill(code, values, m->mutable_animation_data()->mutable_skel_animation()->add_translations());
}

inline void AddScales(double code, const Float3s& values, ace::AnimationDataStream* m) {
  Fill(code, values, m->mutable_animation_data()->mutable_skel_animation()->add_scales());
}

inline void AddRotations(double code, const Quats& values, ace::AnimationDataStream* m) {
  auto& key = *m->mutable_animation_data()->mutable_skel_animation()->add_rotations();
  key.set_time_code(code);
  for (const auto& v : values) {
    auto& q = *key.add_values();
    q.set_real(v[0]), q.set_i(v[1]), q.set_j(v[2]), q.set_k(v[3]);
  }
}

inline ace::AnimationDataStream Rotations(double code, const Quats& values) {
  ace::AnimationDataStream message;
  AddRotations(code, values, &message);
  return message;
}

inline ace::AnimationDataStream Audio(double code, std::string bytes) {
  ace::AnimationDataStream message;
  auto& audio = *message.mutable_animation_data()->mutable_audio();
  audio.set_time_code(code);
  audio.set_audio_buffer(std::move(bytes));
  return message;
}

// A reader that has taken SmallHeader.
inline FrameReader ReaderAfterHeader(const ReaderLimits& limits = {}) {
  FrameReader reader(limits);
  const auto chunk = Read(reader, SmallHeader());
  if (!chunk.ok()) std::abort();
  return reader;
}

// What the reader says to one message after SmallHeader.
inline absl::StatusOr<DataChunk> ReadData(FrameReader& reader, const ace::AnimationDataStream& m) {
  absl::StatusOr<Chunk> chunk = Read(reader, m);
  if (!chunk.ok()) return chunk.status();
  return std::get<DataChunk>(*std::move(chunk));
}

inline absl::Status Fault(const ace::AnimationDataStream& message) {
  FrameReader reader = ReaderAfterHeader();
  return Read(reader, message).status();
}

}  // namespace posewire::wire

#endif  // POSEWIRE_TESTS_UNIT_WIRE_STREAM_MESSAGES_H_
