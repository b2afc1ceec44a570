// A recording of several avatars: what is in the file, and what its readers make of it.
#include "services/renderer_sink/record/record_cast.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "libs/clipio/open_clip.h"
#include "libs/clipio/scene_file.h"
#include "libs/files/file.h"
#include "libs/recording/animdata_frames.h"
#include "libs/recording/avatar_message.h"
#include "libs/wire/edit_codes.h"
#include "libs/wire/props.h"
#include "tests/unit/renderer_sink/messages.h"
#include "tests/unit/renderer_sink/recordings.h"

namespace posewire::renderer_sink {
namespace {

constexpr double kEpoch_s = 1.7e9;

Message HeaderFor(const std::string& target, double epoch_s, const std::string& shape = "jawOpen") {
  Message header = HeaderOf(epoch_s);
  auto& h = *header.mutable_animation_data_stream_header();
  h.mutable_animation_ids()->set_target_object_id(target);
  h.mutable_skel_animation_header()->set_blend_shapes(0, shape);
  return header;
}

class RecordCastTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = FreshFolder(testing::UnitTest::GetInstance()->current_test_info()->name());
    RecordOptions options{.recorder = {.path = Path("take.animdata")}};
    options.written = [this](const std::string& file) { written_.push_back(file); };
    auto cast = RecordCast::Create(options, service::Logger());
    ASSERT_TRUE(cast.ok()) << cast.status();
    cast_ = *std::move(cast);
  }
  std::string Path(const std::string& name) const { return folder_ + name; }
  std::unique_ptr<CastMember> Join(const std::string& target, const asset::GroundPlace& place,
                                   double epoch_s = kEpoch_s) {
    auto member = cast_->Join(target, place);
    EXPECT_TRUE(member.ok()) << member.status();
    EXPECT_TRUE(GiveHeader(**member, HeaderFor(target, epoch_s)).ok());
    return *std::move(member);
  }
  static asset::Scene SceneOf(const std::string& path) {
    const auto scene = clipio::OpenScene(path);
    EXPECT_TRUE(scene.ok()) << scene.status();
    return scene.value_or(asset::Scene());
  }
  // The messages of a character, without the header.
  static std::vector<wire::Message> Read(const std::string& path, std::optional<size_t> character,
                                         std::vector<std::string>* warnings = nullptr) {
    clipio::OpenOptions options;
    options.character = character;
    auto reader = clipio::OpenClip(path, options);
    EXPECT_TRUE(reader.ok()) << reader.status();
    std::vector<wire::Message> out;
    while (true) {
      auto message = (*reader)->Next();
      EXPECT_TRUE(message.ok()) << message.status();
      if (!message.ok() || !*message) break;
      if ((*message)->data() != nullptr) out.push_back(**std::move(message));
    }
    if (warnings != nullptr) *warnings = (*reader)->warnings();
    return out;
  }
  static double CodeOf(const wire::Message& message) {
    return message.data()->pose[wire::kWeights].time_codes_s.front();
  }

  std::string folder_;
  std::unique_ptr<Cast> cast_;
  std::vector<std::string> written_;
};

TEST_F(RecordCastTest, EachAvatarIsACharacterOfASceneOnOneTimeLine) {
  auto anna = Join("anna", {-0.5f, 0, 90});
  // Its codes begin elsewhere, at an epoch of their own.
  auto bert = Join("bert", {0.5f, 0, -90}, kEpoch_s + 10);
  // Nothing is recorded of another before the first one has a frame.
  ASSERT_TRUE(GiveData(*bert, TickOf(0), 0).ok());
  for (int k = 0; k < 30; ++k) {
    ASSERT_TRUE(GiveData(*anna, TickOf(300 + k), k / 30.0).ok());
    ASSERT_TRUE(GiveData(*bert, TickOf(k), k / 30.0).ok());
  }
  ASSERT_TRUE(cast_->Close().ok());
  EXPECT_EQ(written_, (std::vector<std::string>{Path("take.animdata"), Path("take.wav")}));

  const asset::Scene scene = SceneOf(Path("take.animdata"));
  ASSERT_EQ(scene.characters.size(), 2u);
  EXPECT_EQ(scene.characters[0].name, "anna");
  EXPECT_EQ(scene.characters[0].place, (asset::GroundPlace{-0.5f, 0, 90}));
  EXPECT_EQ(scene.characters[1].name, "bert");
  EXPECT_EQ(scene.characters[1].place, (asset::GroundPlace{0.5f, 0, -90}));
  EXPECT_NEAR(scene.last_s, 29 / 30.0, 1e-9);
  for (const size_t character : {0, 1}) {
    const auto messages = Read(Path("take.animdata"), character);
    ASSERT_EQ(messages.size(), 30u);
    for (size_t k = 0; k < messages.size(); ++k) {
      EXPECT_NEAR(CodeOf(messages[k]), static_cast<double>(k) / 30, 1e-6);
      EXPECT_EQ(messages[k].data()->pose[wire::kWeights].values[0],
                static_cast<float>(k + (character == 0 ? 300 : 0)));
    }
  }
}

TEST_F(RecordCastTest, ReadersOfOneAvatarReadTheFirstAndSaySo) {
  auto anna = Join("anna", {});
  auto bert = Join("bert", {1, 0, 0});
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(GiveData(*anna, TickOf(k), k / 30.0).ok());
    ASSERT_TRUE(GiveData(*bert, TickOf(k), k / 30.0).ok());
  }
  ASSERT_TRUE(cast_->Close().ok());
  std::vector<std::string> warnings;
  EXPECT_EQ(Read(Path("take.animdata"), std::nullopt, &warnings).size(), 3u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("holds more avatars"), std::string::npos) << warnings[0];
  // To a reader that does not know of others, their messages have no part.
  recording::AnimDataFrames frames(
      *files::File::Open(Path("take.animdata"), files::File::Mode::kRead), 1 << 20);
  int without_part = 0, data = 0;
  while (*frames.Next()) {
    Message message;
    ASSERT_TRUE(message.ParseFromString(std::string(frames.message())));
    data += message.has_animation_data();
    without_part += message.stream_part_case() == Message::STREAM_PART_NOT_SET;
  }
  EXPECT_EQ(data, 3);
  EXPECT_GE(without_part, 5);
}

TEST_F(RecordCastTest, AvatarsComeAndGo) {
  auto anna = Join("anna", {});
  for (int k = 0; k < 60; ++k) {
    ASSERT_TRUE(GiveData(*anna, TickOf(k), k / 30.0).ok());
  }
  auto bert = Join("bert", {1, 0, 0});
  anna->Leave();
  for (int k = 60; k < 90; ++k) ASSERT_TRUE(GiveData(*bert, TickOf(k), k / 30.0).ok());
  bert->PlaceAt({2, 0, 0});
  ASSERT_TRUE(cast_->Close().ok());
  const asset::Scene scene = SceneOf(Path("take.animdata"));
  ASSERT_EQ(scene.characters.size(), 2u);
  EXPECT_EQ(scene.characters[1].place.x_m, 2);
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_NE(scene.warnings[0].find("bert was placed elsewhere"), std::string::npos);
  const auto messages = Read(Path("take.animdata"), 1);
  ASSERT_EQ(messages.size(), 30u);
  EXPECT_NEAR(CodeOf(messages.front()), 2.0, 1e-6);
}

TEST_F(RecordCastTest, AnotherLayoutOfAnyBeginsAnotherTakeForAll) {
  auto anna = Join("anna", {});
  auto bert = Join("bert", {1, 0, 0});
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(GiveData(*anna, TickOf(k), k / 30.0).ok());
    ASSERT_TRUE(GiveData(*bert, TickOf(k), k / 30.0).ok());
  }
  ASSERT_TRUE(GiveHeader(*bert, HeaderFor("bert", kEpoch_s, "tongueOut")).ok());
  for (int k = 3; k < 6; ++k) {
    ASSERT_TRUE(GiveData(*anna, TickOf(k), k / 30.0).ok());
    ASSERT_TRUE(GiveData(*bert, TickOf(k), k / 30.0).ok());
  }
  ASSERT_TRUE(cast_->Close().ok());
  for (const char* name : {"take.animdata", "take-2.animdata"}) {
    EXPECT_EQ(SceneOf(Path(name)).characters.size(), 2u) << name;
    EXPECT_EQ(Read(Path(name), 1).size(), 3u) << name;
  }
}

TEST_F(RecordCastTest, PropsAreInTheWorldOfTheScene) {
  auto anna = Join("anna", {1, 0, 90});
  auto bert = Join("bert", {});
  for (int k = 0; k < 3; ++k) {
    wire::Message message = Checked(TickOf(k));
    wire::Prop cup;
    cup.name = cup.shape = "cup";
    cup.position = {0, 1, 0.5f + static_cast<float>(k)};
    wire::AddMetadata(&message, wire::ToMetadata({cup}));
    ASSERT_TRUE(anna->OnData(*message.data(), message.bytes, k / 30.0).ok());
    ASSERT_TRUE(GiveData(*bert, TickOf(k), k / 30.0).ok());
  }
  ASSERT_TRUE(cast_->Close().ok());
  const auto scene = clipio::LoadScene(Path("take.animdata"));
  ASSERT_TRUE(scene.ok()) << scene.status();
  ASSERT_EQ(scene->clips.size(), 2u);
  ASSERT_EQ(scene->props.size(), 1u);
  ASSERT_EQ(scene->props[0].places.size(), 3u);
  // In front of Anna, who looks along X.
  EXPECT_NEAR(scene->props[0].places[0].at.x, 1.5f, 1e-5);
  EXPECT_NEAR(scene->props[0].places[2].at.x, 3.5f, 1e-5);
  EXPECT_NEAR(scene->props[0].places[2].at.z, 0, 1e-5);
}

TEST_F(RecordCastTest, AFileOfOneAvatarIsNoScene) {
  auto recorder = Recorder::Create({.path = Path("one.animdata")});
  ASSERT_TRUE(recorder.ok()) << recorder.status();
  ASSERT_TRUE(GiveHeader(**recorder, HeaderOf(kEpoch_s)).ok());
  ASSERT_TRUE(GiveData(**recorder, TickOf(0), 0).ok());
  ASSERT_TRUE((*recorder)->Close().ok());
  EXPECT_TRUE(SceneOf(Path("one.animdata")).characters.empty());
  ASSERT_TRUE(cast_->Close().ok());
}

TEST(AvatarMessage, IsReadAsWrittenAndDamageIsNone) {
  const recording::AvatarMessage written{.avatar = 3, .message = "abc", .place = {{1, 2, 3}}};
  const std::string bytes = recording::WrapAvatarMessage(written);
  const auto read = recording::ReadAvatarMessage(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->avatar, 3u);
  EXPECT_EQ(read->message, "abc");
  EXPECT_EQ(*read->place, (asset::GroundPlace{1, 2, 3}));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(recording::ReadAvatarMessage(absl::string_view(bytes).substr(0, size)));
  }
}

TEST(AvatarOrder, NumbersThoseWithAHeaderAndAtMostSixteen) {
  recording::AvatarOrder order;
  const recording::AvatarMessage place{.avatar = 9, .message = "", .place = {{}}};
  EXPECT_FALSE(order.CharacterOf(place));
  for (uint32_t avatar = 40; avatar > 25; --avatar) {
    EXPECT_EQ(order.CharacterOf({.avatar = avatar, .message = "h", .place = {}}), 41 - avatar);
  }
  EXPECT_FALSE(order.CharacterOf({.avatar = 7, .message = "h", .place = {}}));
  EXPECT_EQ(order.CharacterOf({.avatar = 39, .message = "", .place = {}}), 2u);
  EXPECT_EQ(order.CharacterOf({.avatar = 0, .message = "", .place = {}}), 0u);
}

}  // namespace
}  // namespace posewire::renderer_sink
