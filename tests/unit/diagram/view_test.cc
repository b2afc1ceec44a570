#include "libs/diagram/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace posewire::diagram {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(View, FrontShowsTheAvatarsLeftOnTheRightOfThePage) {
  const ViewAxes axes = AxesOf(View::kFront);
  EXPECT_NEAR(axes.Project({1, 0, 0}).x, 1, 1e-6);
  EXPECT_NEAR(axes.Project({0, 1, 0}).y, 1, 1e-6);
  EXPECT_NEAR(axes.Project({0, 0, 1}).z, 1, 1e-6);
}

TEST(View, SideShowsTheFrontOnTheRightAndTheRightSideNear) {
  const ViewAxes axes = AxesOf(View::kSide);
  EXPECT_NEAR(axes.Project({0, 0, 1}).x, 1, 1e-6);
  EXPECT_NEAR(axes.Project({-1, 0, 0}).z, 1, 1e-6);
}

TEST(View, AxesOfEveryViewAreRightHandedAndOfUnitLength) {
  for (View view : {View::kFront, View::kSide, View::kThreeQuarter}) {
    const ViewAxes a = AxesOf(view);
    const skel::Vec3 cross = skel::Cross(a.right, a.up);
    EXPECT_NEAR(skel::Dot(cross, a.toward), 1, 1e-6) << std::string(NameOf(view));
    EXPECT_NEAR(skel::Length(a.right), 1, 1e-6);
    EXPECT_NEAR(skel::Dot(a.right, a.toward), 0, 1e-6);
  }
}

TEST(View, ThreeQuarterLiesBetweenFrontAndSide) {
  const ViewAxes a = AxesOf(View::kThreeQuarter);
  EXPECT_GT(skel::Dot(a.toward, AxesOf(View::kFront).toward), 0.5f);
  EXPECT_GT(skel::Dot(a.toward, AxesOf(View::kSide).toward), 0.5f);
}

TEST(ParseViews, ReadsTheNamesInOrder) {
  EXPECT_THAT(*ParseViews("side,front,3/4"),
              ElementsAre(View::kSide, View::kFront, View::kThreeQuarter));
}

TEST(ParseViews, NamesTheWordItDoesNotKnow) {
  const auto views = ParseViews("front,top");
  EXPECT_EQ(views.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(views.status().message()), HasSubstr("\"top\""));
  EXPECT_FALSE(ParseViews("").ok());
}

TEST(ParseViews, RejectsAViewNamedTwice) { EXPECT_FALSE(ParseViews("side,side").ok()); }

}  // namespace
}  // namespace posewire::diagram
