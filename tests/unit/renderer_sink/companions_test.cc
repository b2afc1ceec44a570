// Characters next to the lead: who is drawn by which slot of the painter, and who films them.
#include "services/renderer_sink/draw/companions.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace posewire::renderer_sink {
namespace {

// Notes what is asked of it.
class NotingPainter final : public render::Painter {
 public:
  NotingPainter() = default;
  void SetTime(double) override {}
  absl::Status Pass(const skel::PoseView&) override { return absl::OkStatus(); }
  absl::Status Draw(const skel::PoseView&, const render::Camera&, render::Picture&) override {
    return absl::OkStatus();
  }
  absl::Status DrawOffsets(const skel::PoseView&, absl::Span<const mesh::WeighedOffsets>,
                           const render::Camera&, render::Picture&) override {
    return absl::OkStatus();
  }
  uint64_t mesh_hash() const override { return 0; }
  absl::Status SetProps(absl::Span<const character::PropShape>) override {
    return absl::OkStatus();
  }
  absl::StatusOr<size_t> AddCompanion(std::shared_ptr<const character::Character>) override {
    shown.push_back(false);
    return shown.size() - 1;
  }
  absl::Status PoseCompanion(size_t number, const render::CompanionPose&) override {
    shown[number] = true;
    return absl::OkStatus();
  }
  void HideCompanion(size_t number) override { shown[number] = false; }
  absl::StatusOr<std::string> SubdivideCompanion(size_t number, int levels) override {
    choices.push_back(std::to_string(number) + " refined " + std::to_string(levels));
    return levels > 1 ? "too fine" : "";
  }
  absl::Status ChooseOfCompanion(size_t number, absl::string_view part,
                                 absl::string_view choice) override {
    choices.push_back(std::to_string(number) + " " + std::string(part) + " " + std::string(choice));
    return absl::OkStatus();
  }
  void SetLight(const render::KeyLight&) override {}
  void SetBackground(skel::Vec3) override {}
  absl::StatusOr<std::string> Subdivide(int) override { return ""; }
  absl::Status Choose(absl::string_view, absl::string_view) override { return absl::OkStatus(); }

  std::vector<bool> shown;  // by number
  std::vector<std::string> choices;
};

using Who = std::shared_ptr<const character::Character>;

Companions::Member Of(int id, const Who& who, const Look* look = nullptr) {
  return {.id = id, .character = who, .look = look, .at_s = 0, .pose = {}, .place = {}};
}

TEST(Companions, OneThatLeavesIsHiddenAndItsPlaceIsTakenByTheNextOfTheSameCharacter) {
  const Who anna = std::make_shared<character::Character>();
  const Who bert = std::make_shared<character::Character>();
  NotingPainter painter;
  Companions companions;
  ASSERT_TRUE(companions.Show({Of(1, anna), Of(2, bert)}, painter).ok());
  EXPECT_EQ(painter.shown, (std::vector<bool>{true, true}));
  ASSERT_TRUE(companions.Show({Of(2, bert)}, painter).ok());
  EXPECT_EQ(painter.shown, (std::vector<bool>{false, true}));
  ASSERT_TRUE(companions.Show({Of(2, bert), Of(3, anna)}, painter).ok());
  EXPECT_EQ(painter.shown, (std::vector<bool>{true, true}));
  // Bert's place is not free while he is there, even if he is listed later.
  ASSERT_TRUE(companions.Show({Of(4, bert), Of(2, bert)}, painter).ok());
  EXPECT_EQ(painter.shown, (std::vector<bool>{false, true, true}));
}

TEST(Companions, WhatOneWearsIsChosenWhenItChanges) {
  auto woman = std::make_shared<character::Character>();
  character::Variant hair;
  hair.part = "hair";
  hair.choices.resize(2);
  hair.choices[0].name = "short";
  hair.choices[1].name = "long";
  woman->variants.push_back(hair);
  NotingPainter painter;
  Companions companions;
  const Look look{{"hair", "long"}};
  for (int k = 0; k < 2; ++k) {
    ASSERT_TRUE(companions.Show({Of(1, woman, &look)}, painter).ok());
  }
  // The next one of this character does not wear it.
  const Look none;
  ASSERT_TRUE(companions.Show({Of(2, woman, &none)}, painter).ok());
  EXPECT_EQ(painter.choices, (std::vector<std::string>{"0 hair short", "0 hair short",
                                                       "0 hair long", "0 hair short"}));
}

TEST(Companions, RefinesASurfaceOnceAndAfterANewLook) {
  const Who anna = std::make_shared<character::Character>();
  NotingPainter painter;
  std::string told;
  Companions companions([&](const std::string&, const std::string& why) { told += why; });
  const Look none, look{{"hair", "long"}};
  for (const Look* worn : {&none, &none, &look}) {
    Companions::Member member = Of(1, anna, worn);
    member.subdivide = 1;
    ASSERT_TRUE(companions.Show({member}, painter).ok());
  }
  EXPECT_EQ(painter.choices,
            (std::vector<std::string>{"0 refined 1", "0 hair long", "0 refined 1"}));
  Companions::Member finer = Of(1, anna, &look);
  finer.subdivide = 2;
  ASSERT_TRUE(companions.Show({finer}, painter).ok());
  EXPECT_EQ(told, "too fine");
}

skel::Affine At(float x) { return skel::FromTrs({x, 0, 0}, {}, {1, 1, 1}); }

TEST(SeesAll, HasRoomForEachOfThemAndLooksAtTheirMiddle) {
  const render::Camera camera = SeesAll({{At(-1), 1.8f}, {At(2), 1.6f}}, 0, 2);
  EXPECT_FLOAT_EQ(camera.target.x, 0.5f);
  EXPECT_FLOAT_EQ(camera.height_m, (3 + 1.8f) / 2);
  EXPECT_GT(camera.eye.z, camera.target.z + 5);
  const render::Camera one = SeesAll({{{}, 1.8f}}, 90, 2);
  EXPECT_FLOAT_EQ(one.height_m, 1.25f * 1.8f);
  EXPECT_GT(one.eye.x, 5);
}

TEST(SeesAll, HasRoomForWhereTheyMove) {
  InPicture walker{At(1), 1.8f};
  walker.moves.Add({-1, 0, 0});
  walker.moves.Add({3, 2, 0});
  const render::Camera camera = SeesAll({{{}, 1.8f}, walker}, 0, 1);
  EXPECT_FLOAT_EQ(camera.height_m, 4 + 0.9f);
  EXPECT_FLOAT_EQ(camera.target.y, 0.52f * 2);
}

TEST(FromTo, LeadsFromOnePlaceToAnother) {
  // One that looks along X, a metre in front of the lead, has the lead to its left.
  const skel::Vec3 at = FromTo({0, 0, 0}, {0, 1, 90}).row[3];
  EXPECT_NEAR(at.x, 1, 1e-6);
  EXPECT_NEAR(at.z, 0, 1e-6);
}

}  // namespace
}  // namespace posewire::renderer_sink
