#include "services/renderer_sink/core/frame_line.h"

#include "gtest/gtest.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

TEST(FrameLine, SaysWhatAFrameHolds) {
  const wire::StreamHeader header = CheckedHeader(HeaderOf(1700000000.25));
  EXPECT_EQ(FrameLine(header),
            "header: stream \"s1\", 1 joints, 1 shapes, audio 16000 Hz, epoch 1700000000.250");
  Message frame = TickOf(3);
  auto& data = *frame.mutable_animation_data();
  data.mutable_skel_animation()->mutable_blend_shape_weights(0)->set_values(0, 0.42f);
  data.mutable_audio()->set_audio_buffer(std::string("\0\x40\0\x80", 4));
  (*data.mutable_metadata())["emotion"];
  data.mutable_camera()->add_focal_length()->set_time_code(0.1);
  EXPECT_EQ(FrameLine(CheckedData(frame), header),
            "0.1000 s: 1 weights (jawOpen 0.42), audio 2 samples (peak 1.00), camera, "
            "metadata \"emotion\"");
}

TEST(FrameLine, StaysOneLineWhateverComes) {
  Message message = HeaderOf(0, 0);
  auto& fields = *message.mutable_animation_data_stream_header();
  fields.mutable_animation_ids()->set_stream_id("a\nb\x1b[2J");
  fields.mutable_skel_animation_header()->set_blend_shapes(0, "x\ny");
  const wire::StreamHeader header = CheckedHeader(message);
  const wire::StatusChunk status{wire::StatusChunk::kSuccess, "1\n2\r3"};
  for (const std::string& line :
       {FrameLine(header), FrameLine(CheckedData(TickOf(0)), header), FrameLine(status),
        FaultyLine(3, absl::InvalidArgumentError("a\nb")), FrameLine(wire::DataChunk(), header)}) {
    EXPECT_FALSE(line.empty());
    for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20u) << line;
  }
  EXPECT_EQ(FrameLine(wire::DataChunk(), header), "no time code: empty");
  EXPECT_EQ(FrameLine(status), "status SUCCESS: 1\\n2\\r3");
  EXPECT_EQ(FaultyLine(3, absl::InvalidArgumentError("no")), "faulty message of 3 bytes: no");
}

TEST(FrameLine, AHeaderOfOtherLengthNamesNoShape) {
  EXPECT_EQ(FrameLine(CheckedData(TickOf(0)), {}).find("0.0000 s: 1 weights, audio 533 samples"),
            0u);
}

}  // namespace
}  // namespace posewire::renderer_sink
