#include "libs/diagram/sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/diagram/rigs.h"

namespace posewire::diagram {
namespace {

using ::testing::HasSubstr;

std::string TempPath(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

int Height(const std::string& png) {
  int value = 0;
  for (size_t i = 20; i < 24; ++i) value = value * 256 + static_cast<unsigned char>(png[i]);
  return value;
}

class Sheet : public testing::Test {
 protected:
  absl::Status Wave(double t, const skel::PoseSpan& out) const {
    const float a = static_cast<float>(std::sin(t * 3));
    out.SetRotation(rig_->FindJoint("r_shoulder"), skel::FromAxisAngle({0, 0, 1}, -1.5f * a));
    out.SetRotation(rig_->FindJoint("r_index1"), skel::FromAxisAngle({0, 0, 1}, -a));
    out.SetWeight(rig_->FindShape("jawOpen"), 0.5f * a);
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> Png(const SheetOptions& options, const Waveform* voice = nullptr) {
    return DrawSheet(
        {rig_, 0, 2, voice}, [this](double t, const skel::PoseSpan& out) { return Wave(t, out); },
        ImageFormat::kPng, options);
  }
  std::shared_ptr<const skel::Rig> rig_ = BuiltinRig("hanim_loa3");
};

TEST_F(Sheet, IsDrawnTheSameEveryTime) {
  const auto first = Png({.title = "wave"}), second = Png({.title = "wave"});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*first, *second);
}

TEST_F(Sheet, AVoiceAddsALane) {
  Waveform voice(16000);
  voice.Add(0, std::vector<int16_t>(32000, 1000));
  const auto mute = Png({}), speaking = Png({}, &voice);
  ASSERT_TRUE(mute.ok() && speaking.ok());
  EXPECT_GT(Height(*speaking), Height(*mute) + 60);
}

TEST_F(Sheet, LanesAreLimitedAsAsked) {
  const auto all = Png({}), few = Png({.max_shapes = 0, .max_joints = 0});
  ASSERT_TRUE(all.ok() && few.ok());
  EXPECT_LT(Height(*few), Height(*all) - 100);
}

TEST_F(Sheet, EveryNumberOfInstantsFitsOnThePage) {
  for (int n : {1, 2, 3, 5, 7, 12, 24, 48}) {
    const auto png = Png({.instants = n, .pixels_per_point = 0.5});
    ASSERT_TRUE(png.ok()) << n << png.status();
    EXPECT_LT(Height(*png), 1200) << n;
  }
}

TEST_F(Sheet, RejectsOptionsOutOfRange) {
  EXPECT_THAT(std::string(Png({.instants = 0}).status().message()), HasSubstr("1 to 48"));
  EXPECT_FALSE(Png({.instants = 49}).ok());
  EXPECT_FALSE(Png({.views = {}}).ok());
  EXPECT_FALSE(Png({.max_shapes = -1}).ok());
}

TEST_F(Sheet, DrawsAMotionWithoutBodyAndAStillOne) {
  skel::RigParts parts;
  parts.name = "mouth";
  parts.shapes = {"jawOpen"};
  const auto mouth = skel::Rig::Make(parts);
  ASSERT_TRUE(mouth.ok());
  const auto open = [](double t, const skel::PoseSpan& out) {
    out.SetWeight(0, static_cast<float>(t));
    return absl::OkStatus();
  };
  EXPECT_TRUE(DrawSheet({*mouth, 0, 1, nullptr}, open, ImageFormat::kSvg).ok());
  const auto still = [](double, const skel::PoseSpan&) { return absl::OkStatus(); };
  EXPECT_TRUE(DrawSheet({rig_, 0, 0, nullptr}, still, ImageFormat::kSvg).ok());
}

TEST_F(Sheet, ATravellingFigureStaysInItsCell) {
  const auto walk = [this](double t, const skel::PoseSpan& out) {
    out.SetTranslation(0,
                       rig_->rest().translation(0) + skel::Vec3{0, 0, static_cast<float>(5 * t)});
    return absl::OkStatus();
  };
  const auto stand = [](double, const skel::PoseSpan&) { return absl::OkStatus(); };
  const SheetOptions cells_only{.max_shapes = 0, .max_joints = 0};
  const auto walking = DrawSheet({rig_, 0, 2, nullptr}, walk, ImageFormat::kPng, cells_only);
  const auto standing = DrawSheet({rig_, 0, 2, nullptr}, stand, ImageFormat::kPng, cells_only);
  ASSERT_TRUE(walking.ok() && standing.ok());
  // The same size of figure, and one lane for the way of the root.
  EXPECT_NEAR(Height(*walking), Height(*standing), 200);
}

TEST_F(Sheet, WritesTheFile) {
  const std::string path = TempPath("sheet.png");
  std::filesystem::remove(path);
  const auto wave = [this](double t, const skel::PoseSpan& out) { return Wave(t, out); };
  ASSERT_TRUE(WriteSheet({rig_, 0, 1, nullptr}, wave, path).ok());
  EXPECT_GT(std::filesystem::file_size(path), 10000u);
}

TEST_F(Sheet, AFailureLeavesNoFileAndNamesThePath) {
  const auto still = [](double, const skel::PoseSpan&) { return absl::OkStatus(); };
  const std::string nowhere = TempPath("no/such/folder/a.png");
  const absl::Status s = WriteSheet({rig_, 0, 0, nullptr}, still, nowhere);
  EXPECT_EQ(s.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(s.message()), HasSubstr(nowhere));
  const std::string wrong = TempPath("a.gif");
  EXPECT_FALSE(WriteSheet({rig_, 0, 0, nullptr}, still, wrong).ok());
  EXPECT_FALSE(std::filesystem::exists(wrong));
}

}  // namespace
}  // namespace posewire::diagram
