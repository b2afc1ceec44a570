#include "libs/livelink/packet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

#include "tests/support/allocation_count.h"
#include "tests/unit/livelink/bytes.h"

namespace posewire::livelink {
namespace {

using ::testing::HasSubstr;

absl::Status StatusOf(const std::string& datagram) {
  Packet packet;
  return ParsePacket(datagram, packet);
}

std::string ErrorOf(const std::string& datagram) {
  return std::string(StatusOf(datagram).message());
}

TEST(LivelinkPacket, ReadsADatagramWrittenByHand) {
  Bytes bytes = HeaderBytes().U8(61);
  for (uint32_t c = 0; c < 61; ++c) {
    // 0.5 for JawOpen, -1.5 for HeadYaw, else 0.
    bytes.U32(c == 17 ? 0x3F000000u : c == 52 ? 0xBFC00000u : 0u);
  }
  Packet packet;
  ASSERT_EQ(ParsePacket(bytes.text, packet), absl::OkStatus());
  EXPECT_EQ(packet.device_id, kPhone);
  EXPECT_EQ(packet.subject, "iPhone");
  EXPECT_EQ(packet.time.frame, 2592030);
  EXPECT_EQ(packet.time.sub_frame, 0.5f);
  EXPECT_EQ(packet.time.rate_num, 60);
  EXPECT_EQ(packet.time.rate_den, 1);
  EXPECT_NEAR(packet.time.Seconds().value(), 43200 + 30.5 / 60, 1e-9);
  EXPECT_TRUE(packet.has_face);
  for (int c = 0; c < kCurves; ++c) {
    const float want = c == skel::kArkitJawOpen ? 0.5f : c == kHeadYaw ? -1.5f : 0;
    EXPECT_EQ(packet.curves[static_cast<size_t>(c)], want) << CurveName(c);
  }
}

TEST(LivelinkPacket, WritesTheBytesOfADatagramWrittenByHand) {
  Packet packet;
  packet.device_id = kPhone;
  packet.subject = "iPhone";
  packet.time = {2592030, 0.5f, 60, 1};
  packet.has_face = true;
  packet.curves.fill(0.25f);
  std::string out = "left from before";
  WritePacket(packet, out);
  EXPECT_EQ(out, FaceBytes().text);
  packet.has_face = false;
  WritePacket(packet, out);
  EXPECT_EQ(out, HeaderBytes().text);
}

TEST(LivelinkPacket, CurvesHaveTheNamesOfEpicsEnumeration) {
  EXPECT_EQ(CurveName(0), "EyeBlinkLeft");
  EXPECT_EQ(CurveName(15), "JawLeft");
  EXPECT_EQ(CurveName(17), "JawOpen");
  EXPECT_EQ(CurveName(18), "MouthClose");
  EXPECT_EQ(CurveName(51), "TongueOut");
  EXPECT_EQ(CurveName(kHeadYaw), "HeadYaw");
  EXPECT_EQ(CurveName(54), "HeadRoll");
  EXPECT_EQ(CurveName(kLeftEyeYaw), "LeftEyeYaw");
  EXPECT_EQ(CurveName(kRightEyeYaw), "RightEyeYaw");
  EXPECT_EQ(CurveName(60), "RightEyeRoll");
}

TEST(LivelinkPacket, HasNoFaceWithoutCurves) {
  for (const std::string& datagram : {HeaderBytes().text, HeaderBytes().U8(0).text}) {
    Packet packet;
    ASSERT_EQ(ParsePacket(datagram, packet), absl::OkStatus());
    EXPECT_FALSE(packet.has_face);
    EXPECT_EQ(packet.subject, "iPhone");
  }
}

TEST(LivelinkPacket, TakesNamesThatEndWithAZeroAsUnrealsDo) {
  Bytes bytes = Bytes().U8(6).Name(std::string("id\0", 3)).Name("名前");
  bytes.U32(0).U32(0).U32(60).U32(1);
  Packet packet;
  ASSERT_EQ(ParsePacket(bytes.text, packet), absl::OkStatus());
  EXPECT_EQ(packet.device_id, "id");
  EXPECT_EQ(packet.subject, "名前");
}

TEST(LivelinkPacket, RefusesEveryLengthButItsOwn) {
  const std::string whole = FaceBytes().text;
  for (size_t size = 0; size < whole.size(); ++size) {
    if (size == HeaderBytes().text.size()) continue;  // a datagram without a face
    EXPECT_FALSE(StatusOf(whole.substr(0, size)).ok()) << size;
  }
  EXPECT_EQ(ErrorOf(whole + "x"), "curves: 245 bytes are left, 61 curves have 244");
  EXPECT_EQ(ErrorOf(std::string(1000, '\6')), "datagram of 1000 bytes: at most 782 is valid");
}

TEST(LivelinkPacket, ErrorsNameTheFieldItsValueAndWhatIsValid) {
  EXPECT_EQ(ErrorOf(""), "datagram of 0 bytes: it begins with the version, 6");
  EXPECT_THAT(ErrorOf("\5"), HasSubstr("version 5: 6 is valid"));
  EXPECT_EQ(ErrorOf("\6ab"), "device id: 2 bytes are left, its length has 4");
  EXPECT_EQ(ErrorOf(Bytes().U8(6).U32(257).text),
            "device id: a length of 257 bytes; 1 to 256 is valid");
  EXPECT_EQ(ErrorOf(Bytes().U8(6).U32(0xFFFFFFFB).text),
            "device id: a length of -5 bytes; 1 to 256 is valid");
  EXPECT_EQ(ErrorOf(Bytes().U8(6).Name("x").U32(9).Raw("abc").text),
            "subject name: 3 bytes are left of a length of 9");
  EXPECT_EQ(ErrorOf(Bytes().U8(6).Name("x").Name("\xff").text),
            "subject name \"\\xff\": 1 to 256 bytes of UTF-8 without control characters are valid");
  EXPECT_THAT(ErrorOf(Bytes().U8(6).Name("x").Name("a\nb").text), HasSubstr("subject name \"a\\n"));
  EXPECT_EQ(ErrorOf(Bytes().U8(6).Name("x").Name("y").U32(1).text),
            "frame time: 4 bytes are left, it has 16");
  EXPECT_EQ(ErrorOf(HeaderBytes().U8(52).text),
            "curve count 52: 61, or 0 while no face is seen, is valid");
  EXPECT_EQ(ErrorOf(FaceBytes(0x41C80000).text), "EyeBlinkLeft 25: -10 to 10 is valid");
  EXPECT_THAT(ErrorOf(FaceBytes(0x7FC00000).text), HasSubstr("EyeBlinkLeft nan"));
  EXPECT_THAT(ErrorOf(FaceBytes(0xFF800000).text), HasSubstr("EyeBlinkLeft -inf"));
  EXPECT_EQ(ErrorOf(FaceBytes(0x41000000).text), "HeadYaw 8: -6.2832 to 6.2832 radians is valid");
}

TEST(LivelinkPacket, ATimeThatIsNoneIsNoReasonToRefuse) {
  const FrameTime none[] = {{0, 0, 0, 0},     {0, 0, 60, 0},
                            {0, 0, -60, 1},   {-1, 0, 60, 1},
                            {0, 1.5f, 60, 1}, {0, 0, 1, 2},
                            {0, 0, 1001, 1},  {0, std::numeric_limits<float>::quiet_NaN(), 60, 1}};
  for (const FrameTime& time : none) {
    Packet packet;
    packet.device_id = packet.subject = "x";
    packet.time = time;
    std::string out;
    WritePacket(packet, out);
    ASSERT_EQ(ParsePacket(out, packet), absl::OkStatus());
    EXPECT_EQ(packet.time.Seconds(), std::nullopt) << time.rate_num << "/" << time.rate_den;
  }
}

TEST(LivelinkPacket, FrameTimesCountFromMidnight) {
  const FrameTime noon = FrameTimeAt(43200 + 30.5 / 60, 60, 1);
  EXPECT_EQ(noon.frame, 2592030);
  EXPECT_NEAR(noon.sub_frame, 0.5f, 1e-4f);
  EXPECT_EQ(FrameTimeAt(86400 + 2, 30, 1).frame, 60);
  EXPECT_EQ(FrameTimeAt(-1, 30, 1).frame, 86399 * 30);
  EXPECT_NEAR(FrameTimeAt(12345.678, 30000, 1001).Seconds().value(), 12345.678, 1e-5);
}

TEST(LivelinkPacket, RandomPacketsReadBackAsTheyWereWritten) {
  std::mt19937_64 random(1);
  const auto below = [&](uint64_t n) { return random() % n; };
  const auto number = [&](float most) {
    return most * (2 * static_cast<float>(below(1 << 24)) / (1 << 24) - 1);
  };
  std::string bytes;
  for (int n = 0; n < 2000; ++n) {
    Packet packet, back;
    packet.device_id.assign(1 + below(256), static_cast<char>('a' + below(26)));
    packet.subject.assign(1 + below(256), static_cast<char>('A' + below(26)));
    packet.time = {static_cast<int32_t>(random()), number(1), static_cast<int32_t>(random()),
                   static_cast<int32_t>(random())};
    packet.has_face = below(4) != 0;
    for (int c = 0; c < kCurves; ++c) {
      const float value = number(c < kHeadYaw ? kMostWeight : kMostAngle_rad);
      packet.curves[static_cast<size_t>(c)] = value;
    }
    WritePacket(packet, bytes);
    ASSERT_LE(bytes.size(), kMostPacketBytes);
    ASSERT_EQ(ParsePacket(bytes, back), absl::OkStatus());
    EXPECT_EQ(back.device_id, packet.device_id);
    EXPECT_EQ(back.subject, packet.subject);
    EXPECT_EQ(back.time.frame, packet.time.frame);
    EXPECT_EQ(back.time.sub_frame, packet.time.sub_frame);
    EXPECT_EQ(back.time.rate_num, packet.time.rate_num);
    EXPECT_EQ(back.time.rate_den, packet.time.rate_den);
    ASSERT_EQ(back.has_face, packet.has_face);
    if (packet.has_face) {
      EXPECT_EQ(back.curves, packet.curves);
    }
  }
}

TEST(LivelinkPacket, ReadingAndWritingAgainAllocateNothing) {
  const std::string bytes = FaceBytes().text;
  Packet packet;
  std::string out;
  ASSERT_EQ(ParsePacket(bytes, packet), absl::OkStatus());
  WritePacket(packet, out);
  const AllocationCount count;
  ASSERT_TRUE(ParsePacket(bytes, packet).ok());
  WritePacket(packet, out);
  EXPECT_EQ(count.count(), 0);
}

}  // namespace
}  // namespace posewire::livelink
