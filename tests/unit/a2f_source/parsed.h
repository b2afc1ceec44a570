// What the bytes of a source's messages say, as protobuf reads them: it shares no code with what
// wrote them.
#ifndef POSEWIRE_TESTS_UNIT_A2F_SOURCE_PARSED_H_
#define POSEWIRE_TESTS_UNIT_A2F_SOURCE_PARSED_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "libs/wire/message.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::a2f_source {

inline nvidia_ace::animation_data::v1::AnimationDataStream Parsed(const wire::MessageBytes& bytes) {
  nvidia_ace::animation_data::v1::AnimationDataStream message;
  EXPECT_TRUE(message.ParseFromString(*bytes));
  return message;
}

inline nvidia_ace::animation_data::v1::AnimationData ParsedData(const wire::Message& message) {
  EXPECT_NE(message.data(), nullptr);
  return Parsed(message.bytes).animation_data();
}

inline nvidia_ace::animation_data::v1::AnimationDataStreamHeader ParsedHeader(
    const wire::StreamHeader& header) {
  return Parsed(wire::SerializeHeader(header)).animation_data_stream_header();
}

// The voice of all of them, one after another.
inline std::vector<int16_t> ParsedSamples(
    const std::vector<nvidia_ace::animation_data::v1::AnimationData>& frames) {
  std::string bytes;
  for (const auto& frame : frames) bytes += frame.audio().audio_buffer();
  std::vector<int16_t> samples(bytes.size() / 2);
  std::memcpy(samples.data(), bytes.data(), bytes.size());
  return samples;
}

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_TESTS_UNIT_A2F_SOURCE_PARSED_H_
