// What consists of several slices as one.
#ifndef POSEWIRE_TESTS_UNIT_WIRE_SLICES_H_
#define POSEWIRE_TESTS_UNIT_WIRE_SLICES_H_

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "libs/wire/frame_writer.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::wire {

inline std::string Join(const std::array<EncodedFrame::Slice, 3>& slices) {
  std::string bytes;
  for (const auto& s : slices) bytes.append(reinterpret_cast<const char*>(s.data()), s.size());
  return bytes;
}

inline nvidia_ace::animation_data::v1::AnimationDataStream Parse(
    const std::array<EncodedFrame::Slice, 3>& slices) {
  nvidia_ace::animation_data::v1::AnimationDataStream message;
  EXPECT_TRUE(message.ParseFromString(Join(slices)));
  return message;
}

}  // namespace posewire::wire

#endif  // POSEWIRE_TESTS_UNIT_WIRE_SLICES_H_
