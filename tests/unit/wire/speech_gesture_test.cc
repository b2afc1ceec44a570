#include "libs/wire/speech_gesture.h"

#include <limits>

#include "google/protobuf/any.pb.h"
#include "gtest/gtest.h"
#include "posewire.gesture.v1.pb.h"
#include "tests/unit/wire/packed.h"

namespace posewire::wire {
namespace {

namespace gv = posewire::gesture::v1;

TEST(SpeechGesture, ProtobufReadsWhatIsWritten) {
  const MetadataEntry entry = ToMetadata({SpeechGesture::kNumber, 0.75f, 0.8, 2.5, 3});
  google::protobuf::Any any;
  gv::SpeechGesture read;
  ASSERT_TRUE(any.ParseFromString(entry.any));
  ASSERT_TRUE(any.UnpackTo(&read));
  EXPECT_EQ(read.kind(), gv::SpeechGesture::NUMBER);
  EXPECT_EQ(read.strength(), 0.75f);
  EXPECT_EQ(read.stroke_in_s(), 0.8);
  EXPECT_EQ(read.end_in_s(), 2.5);
  EXPECT_EQ(read.number(), 3);
}

TEST(SpeechGesture, ReadsWhatProtobufWrites) {
  gv::SpeechGesture gesture;
  gesture.set_kind(gv::SpeechGesture::GREETING);
  gesture.set_strength(1);
  gesture.set_stroke_in_s(-0.5);
  const auto read = ReadSpeechGesture(Packed("posewire.speech_gesture", gesture));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, SpeechGesture::kGreeting);
  EXPECT_EQ(read->strength, 1);
  EXPECT_EQ(read->stroke_in_s, -0.5);
  EXPECT_EQ(read->end_in_s, 0);
}

TEST(SpeechGesture, LeavesAsideWhatIsNone) {
  const MetadataEntry good = ToMetadata(SpeechGesture{});
  EXPECT_TRUE(ReadSpeechGesture(good));
  EXPECT_FALSE(ReadSpeechGesture({"other", good.any}));
  EXPECT_FALSE(ReadSpeechGesture({good.key, ""}));
  EXPECT_FALSE(ReadSpeechGesture({good.key, good.any.substr(0, good.any.size() - 1)}));
  gv::SpeechGesture gesture;
  gesture.set_strength(1.5f);
  EXPECT_FALSE(ReadSpeechGesture(Packed("posewire.speech_gesture", gesture)));
  gesture.set_strength(std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(ReadSpeechGesture(Packed("posewire.speech_gesture", gesture)));
  gesture.set_strength(1);
  gesture.set_end_in_s(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(ReadSpeechGesture(Packed("posewire.speech_gesture", gesture)));
}

}  // namespace
}  // namespace posewire::wire
