#include "libs/vmc/datagram_packer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/vmc/bones.h"
#include "libs/vmc/datagram_reader.h"
#include "libs/vmc/expressions.h"
#include "tests/unit/vmc/forms.h"
#include "tests/unit/vmc/osc_bytes.h"

namespace posewire::vmc {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Hex(const std::string& bytes) { return absl::BytesToHexString(bytes); }

Ok CalibratedOk() {
  Ok ok;
  ok.loaded = 1;
  ok.calibration_state = 3;
  ok.calibration_mode = 0;
  return ok;
}
Ok PlainOk() {
  Ok ok;
  ok.loaded = 1;
  return ok;
}

struct Vector {
  const char* hex;
  Message message;
};
std::vector<Vector> Vectors() {
  return {
      {"2f564d432f4578742f4f4b002c69000000000001", PlainOk()},
      {"2f564d432f4578742f4f4b002c69696900000000000000010000000300000000", CalibratedOk()},
      {"2f564d432f4578742f5400002c6600003fc00000", Time{1.5f}},
      {"2f564d432f4578742f426c656e642f56616c00002c7366004a6f79003f000000", BlendValue{"Joy", 0.5f}},
      {"2f564d432f4578742f426c656e642f4170706c79000000002c000000", BlendApply{}},
      {"2f564d432f4578742f426f6e652f506f730000002c73666666666666660000004869707300000000000000003f"
       "800000000000000000000000000000000000003f800000",
       BonePose{"Hips", {{0, 1, 0}, {}}}},
  };
}
constexpr char kBundleHex[] =
    "2362756e646c65000000000000000001000000142f564d432f4578742f4f4b002c69000000000001000000142f564d"
    "432f4578742f5400002c6600003fc00000";

TEST(DatagramPacker, WritesTheKnownDatagramsByteForByte) {
  for (const Vector& vector : Vectors()) EXPECT_EQ(Hex(*EncodeMessage(vector.message)), vector.hex);
  DatagramPacker packer;
  ASSERT_TRUE(packer.Add(PlainOk()).ok());
  ASSERT_TRUE(packer.Add(Time{1.5f}).ok());
  ASSERT_THAT(packer.Datagrams(), SizeIs(1));
  EXPECT_EQ(Hex(packer.Datagrams()[0]), kBundleHex);
}

TEST(DatagramPacker, ReadsTheKnownDatagramsBack) {
  for (const Vector& vector : Vectors()) {
    DatagramReader reader;
    int messages = 0;
    reader.Read(absl::HexStringToBytes(vector.hex), [&](const Message& message) {
      ++messages;
      EXPECT_EQ(message.index(), vector.message.index());
      EXPECT_EQ(Hex(*EncodeMessage(message)), vector.hex);
    });
    EXPECT_EQ(messages, 1) << vector.hex;
  }
  DatagramReader reader;
  std::vector<size_t> kinds;
  reader.Read(absl::HexStringToBytes(kBundleHex),
              [&](const Message& message) { kinds.push_back(message.index()); });
  EXPECT_EQ(kinds, (std::vector<size_t>{Message(Ok()).index(), Message(Time()).index()}));
}

// What a message is read as is written as the bytes that it was read from.
TEST(DatagramPacker, WritesEveryFormAsItWasRead) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(0.01, 99);
  for (int round = 0; round < 50; ++round) {
    for (const WireForm& form : kWireForms) {
      OscArguments arguments;
      for (size_t i = 0; form.types[i] != 0; ++i) {
        if (form.types[i] == 'i') arguments.push_back(I(static_cast<int32_t>(random())));
        if (form.types[i] == 's') arguments.push_back(S(std::string(random() % 90, 'x')));
        if (form.types[i] == 'f') arguments.push_back(F(number(random)));
      }
      // A unit quaternion, which reading leaves as it is.
      if (std::string(form.types).substr(0, 8) == "sfffffff") {
        const size_t one = 4 + random() % 4;
        for (size_t i = 4; i < 8; ++i) arguments[i] = F(i == one ? 1 : 0);
      }
      const std::string bytes = OscMessage(form.address, arguments);
      DatagramReader reader;
      std::string again;
      reader.Read(bytes, [&](const Message& message) { again = *EncodeMessage(message); });
      ASSERT_EQ(Hex(again), Hex(bytes)) << form.address << " " << form.types;
    }
  }
}

TEST(DatagramPacker, BundlesAreThoseOfASlowWriter) {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    const size_t limit = 256 + random() % 2000;
    DatagramPacker packer(limit);
    std::vector<std::vector<std::string>> expected;
    size_t size = limit;
    for (int i = 0; i < 100; ++i) {
      const std::string name(random() % 150, 'n');
      const std::string bytes = OscMessage("/VMC/Ext/Blend/Val", {S(name), F(0.25)});
      if (size + 4 + bytes.size() > limit) {
        expected.emplace_back();
        size = 16;
      }
      size += 4 + bytes.size();
      expected.back().push_back(bytes);
      ASSERT_TRUE(packer.Add(BlendValue{name, 0.25f}).ok());
    }
    ASSERT_THAT(packer.Datagrams(), SizeIs(expected.size()));
    for (size_t d = 0; d < expected.size(); ++d) {
      ASSERT_EQ(packer.Datagrams()[d], OscBundle(expected[d]));
      ASSERT_LE(packer.Datagrams()[d].size(), limit);
    }
  }
}

TEST(DatagramPacker, PacksAllBonesAndAllShapesIntoAsManyDatagramsAsKnown) {
  DatagramPacker packer;
  for (const absl::string_view name : BoneNames()) {
    ASSERT_TRUE(packer.Add(BonePose{name, {}}).ok());
  }
  EXPECT_THAT(packer.Datagrams(), SizeIs(4));
  size_t bytes = 16;
  for (const std::string& datagram : packer.Datagrams()) bytes += datagram.size() - 16;
  EXPECT_EQ(bytes, 4468u);

  packer.Clear();
  EXPECT_THAT(packer.Datagrams(), SizeIs(0));
  for (const absl::string_view name : ArkitNames()) {
    ASSERT_TRUE(packer.Add(BlendValue{name, 1}).ok());
  }
  ASSERT_TRUE(packer.Add(BlendApply()).ok());
  EXPECT_THAT(packer.Datagrams(), SizeIs(2));
  bytes = 16;
  for (const std::string& datagram : packer.Datagrams()) bytes += datagram.size() - 16;
  EXPECT_EQ(bytes, 2524u);
}

TEST(DatagramPacker, BreaksWhereItIsTold) {
  DatagramPacker packer;
  ASSERT_TRUE(packer.Add(PlainOk()).ok());
  packer.Break();
  ASSERT_TRUE(packer.Add(PlainOk()).ok());
  ASSERT_TRUE(packer.Add(PlainOk()).ok());
  ASSERT_THAT(packer.Datagrams(), SizeIs(2));
  EXPECT_EQ(packer.Datagrams()[0].size(), 40u);
  EXPECT_EQ(packer.Datagrams()[1].size(), 64u);
  packer.Break();
  EXPECT_THAT(packer.Datagrams(), SizeIs(2));
}

TEST(DatagramPacker, BundlesHaveTheTimeTagSetBefore) {
  DatagramPacker packer;
  DatagramReader reader;
  const auto tag = [&] {
    packer.Clear();
    EXPECT_TRUE(packer.Add(PlainOk()).ok());
    reader.Read(packer.Datagrams()[0], [](const Message&) {});
    return reader.time_tag_s();
  };
  EXPECT_EQ(tag(), std::nullopt);
  packer.SetTimeTag(3900000000.25);
  EXPECT_EQ(tag(), 3900000000.25);
  packer.SetTimeTag(0);
  EXPECT_EQ(tag(), std::nullopt);
}

TEST(DatagramPacker, RejectsWhatNoDatagramHolds) {
  DatagramPacker packer(300);
  ASSERT_TRUE(packer.Add(PlainOk()).ok());
  const std::string name(300, 'n');
  const absl::Status status = packer.Add(BlendValue{name, 1});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("300 bytes"));
  EXPECT_EQ(packer.Datagrams()[0].size(), 40u);
  ASSERT_TRUE(packer.Add(PlainOk()).ok());
  EXPECT_THAT(packer.Datagrams(), SizeIs(1));
  EXPECT_EQ(EncodeMessage(BlendValue{std::string(70000, 'n'), 1}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(EncodeMessage(BlendValue{std::string(60000, 'n'), 1}).ok());
}

TEST(DatagramPacker, RejectsTextWithANulAndAddressesThatAreNone) {
  DatagramPacker packer;
  EXPECT_EQ(packer.Add(BlendValue{absl::string_view("a\0b", 3), 1}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(packer.Add(Through{"", "x", {}}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(packer.Datagrams(), SizeIs(0));
}

TEST(DatagramPacker, LeavesOutWhatStandsBehindAMissingValue) {
  Ok ok = PlainOk();
  ok.tracking_status = 1;
  EXPECT_EQ(*EncodeMessage(ok), OscMessage("/VMC/Ext/OK", {I(1)}));
}

}  // namespace
}  // namespace posewire::vmc
