#include "libs/wire/appearance.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/any.pb.h"
#include "gtest/gtest.h"
#include "posewire.character.v1.pb.h"
#include "tests/unit/wire/packed.h"

namespace posewire::wire {
namespace {

namespace cv = posewire::character::v1;

TEST(Appearance, ProtobufReadsWhatIsWritten) {
  const MetadataEntry entry = ToMetadata({"anna", {{"hair", "long"}, {"top colour", "moss"}}});
  EXPECT_EQ(entry.key, "posewire.appearance");
  google::protobuf::Any any;
  cv::Appearance read;
  ASSERT_TRUE(any.ParseFromString(entry.any));
  ASSERT_TRUE(any.UnpackTo(&read));
  EXPECT_EQ(read.character(), "anna");
  EXPECT_EQ(read.look().size(), 2);
  EXPECT_EQ(read.look().at("top colour"), "moss");
  ASSERT_TRUE(any.ParseFromString(ToMetadata(Appearance{}).any));
  ASSERT_TRUE(any.UnpackTo(&read));
  EXPECT_EQ(read.ByteSizeLong(), 0);
}

TEST(Appearance, ReadsWhatProtobufWrites) {
  cv::Appearance written;
  written.set_character("man");
  (*written.mutable_look())["skin"] = "dark";
  EXPECT_EQ(ReadAppearance(Packed(kAppearanceKey, written)),
            (Appearance{"man", {{"skin", "dark"}}}));
  EXPECT_EQ(ReadAppearance(Packed(kAppearanceKey, cv::Appearance())), Appearance{});
}

void Choose(cv::Appearance& out, const std::string& part, const std::string& choice) {
  (*out.mutable_look())[part] = choice;
}

TEST(Appearance, LeavesEverythingElseAlone) {
  cv::Appearance written;
  MetadataEntry entry = Packed(kAppearanceKey, written);
  entry.key = "other";
  EXPECT_FALSE(ReadAppearance(entry));
  entry = {std::string(kAppearanceKey), std::string("\x0a\xff", 2)};
  EXPECT_FALSE(ReadAppearance(entry));
  EXPECT_FALSE(ReadAppearance(Packed(kAppearanceKey, google::protobuf::Any())));

  written.set_character(std::string(129, 'a'));
  EXPECT_FALSE(ReadAppearance(Packed(kAppearanceKey, written)));
  written.set_character(std::string(128, 'a'));
  EXPECT_TRUE(ReadAppearance(Packed(kAppearanceKey, written)));
  Choose(written, "hair", "");
  EXPECT_FALSE(ReadAppearance(Packed(kAppearanceKey, written)));
  written.clear_look();
  for (int i = 0; i < 32; ++i) Choose(written, absl::StrCat("part", i), "some");
  EXPECT_TRUE(ReadAppearance(Packed(kAppearanceKey, written)));
  Choose(written, "one more", "some");
  EXPECT_FALSE(ReadAppearance(Packed(kAppearanceKey, written)));
}

TEST(Appearance, TheLastEntryCounts) {
  EXPECT_FALSE(AppearanceIn({{"other", ""}}));
  EXPECT_EQ(
      AppearanceIn({ToMetadata(Appearance{"man"}), ToMetadata(Appearance{"woman"})})->character,
      "woman");
}

}  // namespace
}  // namespace posewire::wire
