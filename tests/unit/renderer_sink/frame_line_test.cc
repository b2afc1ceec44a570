#include "services/renderer_sink/core/frame_line.h"

#include "gtest/gtest.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

TEST(FrameLine, SaysWhatAFrameHolds) {
  const Message header = HeaderOf(1700000000.25);
  const auto& h = header.animation_data_stream_header();
  EXPECT_EQ(FrameLine(header, h),
            "header: stream \"s1\", 1 joints, 1 shapes, audio 16000 Hz, epoch 1700000000.250");
  Message frame = TickOf(3);
  frame.mutable_animation_data()
      ->mutable_skel_animation()
      ->mutable_blend_shape_weights(0)
      ->set_values(0, 0.42f);
  frame.mutable_animation_data()->mutable_audio()->set_audio_buffer(std::string("\0\x40\0\x80", 4));
  (*frame.mutable_animation_data()->mutable_metadata())["emotion"];
  frame.mutable_animation_data()->mutable_camera();
  EXPECT_EQ(FrameLine(frame, h),
            "0.1000 s: 1 weights (jawOpen 0.42), audio 2 samples (peak 1.00), camera, "
            "metadata \"emotion\"");
}

TEST(FrameLine, StaysOneLineWhateverComes) {
  Message message = HeaderOf(0, 0);
  auto& header = *message.mutable_animation_data_stream_header();
  header.mutable_animation_ids()->set_stream_id("a\nb\x1b[2J");
  header.mutable_skel_animation_header()->set_blend_shapes(0, "x\ny");
  Message frame = TickOf(0);
  Message status;
  status.mutable_status()->set_message("1\n2\r3");
  Message empty;
  empty.mutable_animation_data();
  for (const Message& m : {message, frame, status, empty, Message()}) {
    const std::string line = FrameLine(m, header);
    EXPECT_FALSE(line.empty());
    for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20u) << line;
  }
  EXPECT_EQ(FrameLine(empty, header), "no code: empty");
  EXPECT_EQ(FrameLine(status, header), "status SUCCESS: 1\\n2\\r3");
}

TEST(FrameLine, AHeaderOfOtherLengthNamesNoShape) {
  Message header = HeaderOf(0);
  header.mutable_animation_data_stream_header()
      ->mutable_skel_animation_header()
      ->clear_blend_shapes();
  EXPECT_EQ(FrameLine(TickOf(0), header.animation_data_stream_header())
                .find("0.0000 s: 1 weights, audio 533 samples"),
            0u);
}

}  // namespace
}  // namespace posewire::renderer_sink
