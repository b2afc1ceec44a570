#include "libs/wire/edit_codes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "google/protobuf/any.pb.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::wire {
namespace {

using EditedAudio = CodeEdit::Audio;

ace::AnimationDataStream Full() {
  ace::AnimationDataStream message = Weights(0, {0.25f, 0.5f});
  AddWeights(0.5, {0.1f, 0.2f}, &message);
  auto& data = *message.mutable_animation_data();
  auto& rotation = *data.mutable_skel_animation()->add_rotations();
  rotation.set_time_code(0.5);
  rotation.add_values()->set_real(1);
  data.mutable_camera()->add_focal_length()->set_time_code(0.5);
  data.mutable_audio()->set_time_code(0.25);
  data.mutable_audio()->set_audio_buffer("aabbccdd");
  (*data.mutable_metadata())["mood"].set_value("calm");
  return message;
}

// On each level one, with a group.
void AddUnknown(ace::AnimationDataStream* message) {
  const auto add = [](google::protobuf::Message* m) {
    m->GetReflection()->MutableUnknownFields(m)->AddVarint(77, 5);
    m->GetReflection()->MutableUnknownFields(m)->AddGroup(79)->AddVarint(1, 2);
  };
  auto& data = *message->mutable_animation_data();
  add(message);
  add(&data);
  add(data.mutable_skel_animation());
  add(data.mutable_skel_animation()->mutable_rotations(0));
  add(data.mutable_skel_animation()->mutable_rotations(0)->mutable_values(0));
  add(data.mutable_audio());
}

ace::AnimationDataStream ParseBytes(const MessageBytes& bytes) {
  ace::AnimationDataStream message;
  EXPECT_TRUE(message.ParseFromString(*bytes));
  return message;
}

TEST(ShiftCodes, MovesEveryCodeAndNothingElse) {
  ace::AnimationDataStream message = Full();
  AddUnknown(&message);
  ace::AnimationDataStream wanted = message;
  auto& data = *wanted.mutable_animation_data();
  data.mutable_skel_animation()->mutable_blend_shape_weights(0)->set_time_code(2);
  data.mutable_skel_animation()->mutable_blend_shape_weights(1)->set_time_code(2.5);
  data.mutable_skel_animation()->mutable_rotations(0)->set_time_code(2.5);
  data.mutable_camera()->mutable_focal_length(0)->set_time_code(2.5);
  data.mutable_audio()->set_time_code(2.25);
  EXPECT_EQ(ParseBytes(ShiftCodes(message.SerializeAsString(), 2)).SerializeAsString(),
            wanted.SerializeAsString());
}

TEST(ShiftCodes, StopsAtZero) {
  const auto moved = ParseBytes(ShiftCodes(Full().SerializeAsString(), -1));
  EXPECT_EQ(moved.animation_data().audio().time_code(), 0);
  EXPECT_EQ(moved.animation_data().skel_animation().rotations(0).time_code(), 0);
}

TEST(ShiftCodes, PassesOnWhatHasNoCodes) {
  ace::AnimationDataStream status;
  status.mutable_status()->set_message("hello");
  for (const std::string& bytes : {status.SerializeAsString(), SmallHeader().SerializeAsString(),
                                   std::string(), std::string("\x12\xff no message")}) {
    EXPECT_EQ(*ShiftCodes(bytes, 1), bytes);
  }
}

// A sender may write the code behind the values, and lengths longer than they need be.
TEST(ShiftCodes, WritesOverCodesWhereTheyStand) {
  const auto field = [](char tag, const std::string& bytes) {
    return std::string{tag, static_cast<char>(bytes.size() | 0x80), '\0'} + bytes;
  };
  const auto message = [&](double time_code_s) {
    std::string code(1, '\x09');
    code.append(reinterpret_cast<const char*>(&time_code_s), sizeof time_code_s);
    return field('\x12', field('\x0a', field('\x0a', field('\x12', "abcdefgh") + code))) +
           "\x40\x07";
  };
  EXPECT_EQ(*ShiftCodes(message(2), 0.5), message(2.5));
  EXPECT_EQ(*ShiftCodes(message(2), 0), message(2));
}

TEST(EditCodes, AllocatesNothingIntoMemoryThatIsThere) {
  ace::AnimationDataStream message = Full();
  message.mutable_animation_data()
      ->mutable_skel_animation()
      ->mutable_blend_shape_weights(0)
      ->set_time_code(0.25);
  const std::string bytes = message.SerializeAsString();
  // They outlive the edit, which refers to them.
  const auto later = [](size_t, double time_code_s) -> std::optional<double> {
    return time_code_s + 1;
  };
  const auto later_audio = [](double time_code_s, size_t) -> std::optional<EditedAudio> {
    return EditedAudio{time_code_s + 1, 0};
  };
  const CodeEdit edit{.key = later, .audio = later_audio};
  std::string out;
  EditCodes(bytes, edit, &out);
  const AllocationCount count;
  EditCodes(bytes, edit, &out);
  EXPECT_EQ(count.count(), 0);
  EXPECT_EQ(out, *ShiftCodes(bytes, 1));
}

TEST(SetEpoch, ChangesTheEpochAndNothingElse) {
  ace::AnimationDataStream header = SmallHeader();
  auto* fields = header.mutable_animation_data_stream_header();
  fields->GetReflection()->MutableUnknownFields(fields)->AddVarint(77, 5);
  const MessageBytes moved = SetEpoch(header.SerializeAsString(), 12.5);
  fields->set_start_time_code_since_epoch(12.5);
  ace::AnimationDataStream parsed;
  ASSERT_TRUE(parsed.ParseFromString(*moved));
  EXPECT_EQ(parsed.SerializeAsString(), header.SerializeAsString());
  for (const std::string& bytes : {Full().SerializeAsString(), std::string("\x0a\xff no")}) {
    EXPECT_EQ(*SetEpoch(bytes, 1), bytes);
  }
}

TEST(EditCodes, LeavesOutKeysAndThePartThatIsEmptyThen) {
  const auto edited = ParseBytes(EditCodes(
      Full().SerializeAsString(),
      {.key = [](size_t track, double time_code_s) -> std::optional<double> {
         if (track >= kPoseTracks || time_code_s < 0.5) return std::nullopt;
         return time_code_s;
       },
       .audio = [](double, size_t) -> std::optional<EditedAudio> { return std::nullopt; }}));
  ace::AnimationDataStream wanted = Full();
  auto& data = *wanted.mutable_animation_data();
  data.mutable_skel_animation()->mutable_blend_shape_weights()->DeleteSubrange(0, 1);
  data.clear_camera();
  data.clear_audio();
  EXPECT_EQ(edited.SerializeAsString(), wanted.SerializeAsString());
}

TEST(EditCodes, CutsTheBeginningOfASound) {
  const auto edited = ParseBytes(EditCodes(
      Full().SerializeAsString(),
      {.key = [](size_t, double time_code_s) -> std::optional<double> { return time_code_s; },
       .audio = [](double time_code_s, size_t samples) -> std::optional<EditedAudio> {
         EXPECT_EQ(samples, 4u);
         return EditedAudio{time_code_s + 1, 3};
       }}));
  EXPECT_EQ(edited.animation_data().audio().time_code(), 1.25);
  EXPECT_EQ(edited.animation_data().audio().audio_buffer(), "dd");
}

TEST(AddMetadata, AddsAnEntryAndKeepsAllOtherBytes) {
  ace::AnimationDataStream source = Full();
  AddUnknown(&source);
  Message message{std::make_shared<const std::string>(source.SerializeAsString()), DataChunk{}};
  google::protobuf::Any any;
  any.set_type_url("example/Light");
  AddMetadata(&message, {"light", any.SerializeAsString()});
  ASSERT_EQ(message.data()->metadata.size(), 1u);
  EXPECT_EQ(message.data()->metadata[0].key, "light");
  ace::AnimationDataStream wanted = source;
  (*wanted.mutable_animation_data()->mutable_metadata())["light"] = any;
  EXPECT_TRUE(
      google::protobuf::util::MessageDifferencer::Equals(ParseBytes(message.bytes), wanted));
  Message status = MakeMessage(StatusChunk{});
  const std::string before = *status.bytes;
  AddMetadata(&status, {"light", ""});
  EXPECT_EQ(*status.bytes, before);
}

TEST(ShiftCodes, MovesWhatAMessageSaysWithItsBytes) {
  DataChunk data;
  data.pose[kWeights] = {2, {0.5, 1}, {1, 2, 3, 4}};
  data.camera[kFocalLength] = {1, {2}, {35}};
  data.audio = AudioBuffer{0.25, {1, 2, 3}};
  for (const double delta_s : {10.0, -0.75}) {
    const Message moved = ShiftCodes(MakeMessage(data), delta_s);
    EXPECT_EQ(*moved.bytes, *SerializeData(*moved.data()));
    EXPECT_EQ(moved.data()->pose[kWeights].time_codes_s[0], std::max(0.0, 0.5 + delta_s));
    EXPECT_EQ(moved.data()->audio->time_code_s, std::max(0.0, 0.25 + delta_s));
  }
  const Message status = MakeMessage(StatusChunk{StatusChunk::kInfo, "so far"});
  EXPECT_EQ(ShiftCodes(status, 5).bytes, status.bytes);
}

TEST(EditCodes, TakesAnyBytes) {
  ace::AnimationDataStream message = Full();
  AddUnknown(&message);
  const std::string whole = message.SerializeAsString();
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = whole.substr(0, random() % (whole.size() + 1));
    for (auto n = random() % 3; n > 0 && !bytes.empty(); --n) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const MessageBytes shifted = ShiftCodes(bytes, 1);
    ace::AnimationDataStream parsed;
    if (parsed.ParseFromString(bytes)) {
      EXPECT_TRUE(parsed.ParseFromString(*shifted));
    }
  }
}

}  // namespace
}  // namespace posewire::wire
