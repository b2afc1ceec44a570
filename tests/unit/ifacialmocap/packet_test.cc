#include "libs/ifacialmocap/packet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/support/allocation_count.h"

namespace posewire::ifacialmocap {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A whole datagram as the app sends it, of version 1; shapes come in no order.
constexpr absl::string_view kFace =
    "trackingStatus-1|mouthSmile_R-31|eyeLookOut_L-0|mouthUpperUp_L-5|eyeWide_R-1|mouthClose-12|"
    "mouthPucker-3|mouthRollLower-6|eyeBlink_R-9|eyeLookDown_L-14|cheekSquint_R-7|eyeBlink_L-100|"
    "tongueOut-0|jawRight-2|eyeLookIn_R-8|cheekSquint_L-7|mouthDimple_L-10|mouthPress_L-4|"
    "eyeSquint_L-15|mouthRight-1|mouthShrugLower-9|eyeLookUp_R-0|eyeLookOut_R-0|mouthPress_R-5|"
    "cheekPuff-2|jawForward-11|mouthLowerDown_L-8|mouthFrown_L-6|mouthShrugUpper-26|"
    "browOuterUp_L-4|browInnerUp-20|mouthDimple_R-10|browDown_R-33|mouthUpperUp_R-5|"
    "mouthRollUpper-8|mouthFunnel-12|mouthStretch_R-21|mouthFrown_R-13|eyeLookDown_R-14|"
    "jawOpen-42|jawLeft-0|browDown_L-32|mouthSmile_L-30|noseSneer_R-18|mouthLowerDown_R-8|"
    "noseSneer_L-17|eyeWide_L-1|mouthStretch_L-21|browOuterUp_R-4|eyeLookIn_L-4|eyeSquint_R-15|"
    "eyeLookUp_L-0|mouthLeft-0|hapihapi-0|=head#-12.5,20.25,-3.5,0.015,-0.11,-0.42|"
    "rightEye#5.25,-2.5,0.125|leftEye#5.5,1.75,-0.25|";

absl::Status StatusOf(absl::string_view datagram) {
  Packet packet;
  return ParsePacket(datagram, packet);
}

std::string ErrorOf(absl::string_view datagram) {
  return std::string(StatusOf(datagram).message());
}

Packet Parsed(absl::string_view datagram) {
  Packet packet;
  EXPECT_EQ(ParsePacket(datagram, packet), absl::OkStatus());
  return packet;
}

int Shape(absl::string_view arkit) {
  const auto names = skel::ArkitNames();
  return static_cast<int>(std::find(names.begin(), names.end(), arkit) - names.begin());
}

float Weight(const Packet& packet, absl::string_view arkit) {
  const auto s = static_cast<size_t>(Shape(arkit));
  EXPECT_TRUE(packet.has_weight[s]) << arkit;
  return packet.weights[s];
}

void ExpectNear(const skel::Vec3& got, const skel::Vec3& want) {
  EXPECT_FLOAT_EQ(got.x, want.x);
  EXPECT_FLOAT_EQ(got.y, want.y);
  EXPECT_FLOAT_EQ(got.z, want.z);
}

void ExpectIsTheFace(const Packet& packet) {
  EXPECT_TRUE(packet.has_face);
  EXPECT_TRUE(packet.has_weight.all());
  EXPECT_FLOAT_EQ(Weight(packet, "JawOpen"), 0.42f);
  EXPECT_FLOAT_EQ(Weight(packet, "MouthClose"), 0.12f);
  EXPECT_FLOAT_EQ(Weight(packet, "MouthSmileRight"), 0.31f);
  EXPECT_FLOAT_EQ(Weight(packet, "MouthSmileLeft"), 0.30f);
  EXPECT_FLOAT_EQ(Weight(packet, "EyeBlinkLeft"), 1);
  EXPECT_FLOAT_EQ(Weight(packet, "EyeBlinkRight"), 0.09f);
  EXPECT_FLOAT_EQ(Weight(packet, "JawRight"), 0.02f);
  EXPECT_FLOAT_EQ(Weight(packet, "MouthRight"), 0.01f);
  EXPECT_FLOAT_EQ(Weight(packet, "BrowInnerUp"), 0.2f);
  EXPECT_FLOAT_EQ(Weight(packet, "TongueOut"), 0);
  ASSERT_TRUE(packet.head && packet.left_eye_deg && packet.right_eye_deg);
  ExpectNear(packet.head->turn_deg, {-12.5f, 20.25f, -3.5f});
  ExpectNear(packet.head->at_m, {0.015f, -0.11f, -0.42f});
  ExpectNear(*packet.right_eye_deg, {5.25f, -2.5f, 0.125f});
  ExpectNear(*packet.left_eye_deg, {5.5f, 1.75f, -0.25f});
}

// The same with & between the names of the shapes and their values.
std::string FaceOfVersion2() {
  const size_t head = kFace.find("|=head");
  return absl::StrCat(absl::StrReplaceAll(kFace.substr(0, head), {{"-", "&"}}), kFace.substr(head));
}

TEST(IfacialmocapPacket, ReadsADatagramOfVersion1WrittenByHand) {
  const Packet packet = Parsed(kFace);
  ExpectIsTheFace(packet);
  EXPECT_EQ(packet.unknown, 1) << "hapihapi";
}

TEST(IfacialmocapPacket, ReadsADatagramOfVersion2WrittenByHand) {
  const std::string face = FaceOfVersion2();
  ASSERT_THAT(face, HasSubstr("jawOpen&42|"));
  ExpectIsTheFace(Parsed(face));
}

TEST(IfacialmocapPacket, ReadsNegativeAndFractionalWeights) {
  const Packet packet = Parsed("jawOpen&-12.5|mouthLeft&7.25|jawLeft--3|");
  EXPECT_FLOAT_EQ(Weight(packet, "JawOpen"), -0.125f);
  EXPECT_FLOAT_EQ(Weight(packet, "MouthLeft"), 0.0725f);
  EXPECT_FLOAT_EQ(Weight(packet, "JawLeft"), -0.03f);
}

TEST(IfacialmocapPacket, ReadsNamesOfFacemotion3d) {
  const Packet packet = Parsed("eyeBlinkLeft&80|mouthSmileRight&30|FM_SAD&4|");
  EXPECT_FLOAT_EQ(Weight(packet, "EyeBlinkLeft"), 0.8f);
  EXPECT_FLOAT_EQ(Weight(packet, "MouthSmileRight"), 0.3f);
  EXPECT_EQ(packet.unknown, 1);
}

TEST(IfacialmocapPacket, EveryShapeHasItsName) {
  for (const absl::string_view arkit : skel::ArkitNames()) {
    std::string name(arkit);
    name[0] = static_cast<char>(std::tolower(name[0]));
    EXPECT_FLOAT_EQ(Weight(Parsed(absl::StrCat(name, "-50|")), arkit), 0.5f);
    // The mouth's and the jaw's own left and right have no side.
    if (name.size() > 10 && absl::EndsWith(name, "Left")) {
      name.replace(name.size() - 4, 4, "_L");
    } else if (name.size() > 10 && absl::EndsWith(name, "Right")) {
      name.replace(name.size() - 5, 5, "_R");
    }
    EXPECT_FLOAT_EQ(Weight(Parsed(absl::StrCat(name, "-50|")), arkit), 0.5f) << name;
  }
}

TEST(IfacialmocapPacket, ShapesThatAreNotSentAreAbsent) {
  Packet packet = Parsed(kFace);
  ASSERT_EQ(ParsePacket("jawOpen-10|", packet), absl::OkStatus());
  EXPECT_EQ(packet.has_weight.count(), 1u);
  EXPECT_EQ(packet.weights[static_cast<size_t>(Shape("EyeBlinkLeft"))], 0);
  EXPECT_FALSE(packet.head || packet.left_eye_deg || packet.right_eye_deg);
}

TEST(IfacialmocapPacket, TrackingStatus0MeansNoFace) {
  EXPECT_FALSE(Parsed("trackingStatus-0|jawOpen-10|").has_face);
  EXPECT_FALSE(Parsed("jawOpen&10|trackingStatus&0|").has_face);
  EXPECT_FALSE(Parsed("trackingStatus-0|").has_face);
  EXPECT_TRUE(Parsed("jawOpen-10|").has_face);
}

TEST(IfacialmocapPacket, FieldsMayBeEmptyUnknownOrComeTwice) {
  const Packet packet = Parsed("||jawOpen-10|jawOpen-20|something-x|tail#1,2|mouth_L-5");
  EXPECT_EQ(packet.unknown, 2);
  EXPECT_FLOAT_EQ(Weight(packet, "JawOpen"), 0.2f);
  EXPECT_FLOAT_EQ(Weight(packet, "MouthLeft"), 0.05f);
}

TEST(IfacialmocapPacket, ErrorsNameTheFieldItsValueAndWhatIsValid) {
  const std::string shapes = "shapes: none of ARKit's is there, one or more is valid";
  EXPECT_EQ(ErrorOf(""), shapes);
  EXPECT_EQ(ErrorOf("|||"), shapes);
  EXPECT_EQ(ErrorOf("hapihapi-0|=head#0,0,0,0,0,0|"), shapes);
  EXPECT_EQ(ErrorOf("trackingStatus-1|"), shapes);
  EXPECT_EQ(ErrorOf("hello"), "field \"hello\": NAME-NUMBER, NAME&NUMBER or NAME#NUMBERS is valid");
  EXPECT_THAT(ErrorOf("jawOpen-10|-5|"), HasSubstr("field \"-5\""));
  EXPECT_EQ(ErrorOf("jawOpen-x|"), "jawOpen \"x\": -1000 to 1000 is valid");
  EXPECT_EQ(ErrorOf("eyeBlink_L-|"), "eyeBlink_L \"\": -1000 to 1000 is valid");
  EXPECT_EQ(ErrorOf("jawOpen&1001|"), "jawOpen \"1001\": -1000 to 1000 is valid");
  for (const char* value : {"nan", "inf", "-inf", "1e99", "1e999", "1,5", "1 2"}) {
    EXPECT_THAT(ErrorOf(absl::StrCat("jawOpen&", value, "|")), HasSubstr("is valid")) << value;
  }
  EXPECT_EQ(ErrorOf("trackingStatus-2|"), "trackingStatus \"2\": 0 or 1 is valid");
  EXPECT_EQ(ErrorOf("=head#1,2,3|"), "head: fewer numbers than 6, which is valid");
  EXPECT_EQ(ErrorOf("=head#1,2,3,4,5,6,7|"), "head: more numbers than 6, which is valid");
  EXPECT_EQ(ErrorOf("leftEye#1,2|"), "leftEye: fewer numbers than 3, which is valid");
  EXPECT_EQ(ErrorOf("=head#1,361,3,0,0,0|"), "head turn y \"361\": -360 to 360 degrees is valid");
  EXPECT_EQ(ErrorOf("=head#1,2,3,0,0,-101|"), "head z \"-101\": -100 to 100 m is valid");
  EXPECT_EQ(ErrorOf("rightEye#1,nan,3|"), "rightEye turn y \"nan\": -360 to 360 degrees is valid");
  EXPECT_EQ(ErrorOf(std::string(9000, 'x')), "datagram of 9000 bytes: at most 8192 is valid");
  EXPECT_EQ(ErrorOf("FMV3\4"), "version 3 (FMV3): version 1 or 2 is valid, which are text");
}

TEST(IfacialmocapPacket, ErrorsHoldNoForeignTextAsItCame) {
  for (const char* datagram : {"a\n\x1b[31mb\xff", "jawOpen-\n\x1b[31m\xff|", "=head#\n\x1b\xff|",
                               "=head#1,\n\x1b\xff,3,4,5,6|", "trackingStatus-\n\x1b\xff"}) {
    const std::string error = ErrorOf(datagram);
    EXPECT_THAT(error, Not(HasSubstr("\n")));
    EXPECT_THAT(error, Not(HasSubstr("\x1b")));
    EXPECT_THAT(error, Not(HasSubstr("\xff")));
  }
  EXPECT_LT(ErrorOf(absl::StrCat("jawOpen-", std::string(8000, 'x'))).size(), 200u);
}

TEST(IfacialmocapPacket, RandomDamageIsRefusedOrReadWithinTheLimits) {
  std::mt19937_64 random(1);
  const std::string bytes = "|-&#,=.0123456789_LRe\n\xff";
  int read = 0;
  for (int n = 0; n < 20000; ++n) {
    std::string damaged(kFace);
    for (uint64_t k = 1 + random() % 4; k > 0; --k) {
      damaged[random() % damaged.size()] = bytes[random() % bytes.size()];
    }
    damaged.resize(damaged.size() - random() % 2 * (random() % damaged.size()));
    Packet packet;
    if (!ParsePacket(damaged, packet).ok()) continue;
    ++read;
    for (const float weight : packet.weights) ASSERT_LE(std::fabs(weight), kMostWeight);
    if (!packet.head) continue;
    ASSERT_LE(std::fabs(packet.head->turn_deg.x), kMostAngle_deg);
    ASSERT_LE(std::fabs(packet.head->at_m.z), kMostPlace_m);
  }
  EXPECT_GT(read, 1000);
  EXPECT_LT(read, 19000);
}

TEST(IfacialmocapPacket, ReadingAllocatesNothing) {
  const std::string face = FaceOfVersion2();
  Packet packet;
  ASSERT_EQ(ParsePacket(kFace, packet), absl::OkStatus());
  const AllocationCount count;
  ASSERT_TRUE(ParsePacket(kFace, packet).ok());
  ASSERT_TRUE(ParsePacket(face, packet).ok());
  EXPECT_EQ(count.count(), 0);
}

}  // namespace
}  // namespace posewire::ifacialmocap
