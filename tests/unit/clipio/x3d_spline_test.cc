// Spline interpolators of X3D clips.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "tests/unit/clipio/clips.h"

namespace posewire::clipio {
namespace {

using ::testing::HasSubstr;

constexpr MemoryFile kClassic{"spline.x3dv"};

constexpr char kSwing[] = R"(#X3D V4.0 utf8
DEF Body HAnimHumanoid {
  skeleton HAnimJoint { name "humanoid_root" center 0 0.9 0
    children HAnimJoint { name "l_hip" center 0.1 0.9 0
      children DEF Ankle HAnimJoint { name "l_talocrural" center 0.1 0.1 0 } } }
}
DEF Clock TimeSensor { cycleInterval 2 }
DEF Other TimeSensor { cycleInterval 4 }
DEF Swing SquadOrientationInterpolator { key [0 0.25 1] keyValue [1 0 0 0, 1 0 0 -1, 0 0 0 3] }
DEF Way SplinePositionInterpolator { key [0 0.5 1] keyValue [0 0 0, 0 1 0, 0 0 0] }
ROUTE Clock.fraction_changed TO Swing.set_fraction
ROUTE Swing.value_changed TO Ankle.set_rotation
ROUTE Other.fraction_changed TO Way.set_fraction
ROUTE Way.value_changed TO Body.translation
)";

// The curves of ISO/IEC 19775-1, 19.2, as X_ITE has them, 60 keys a second.
TEST(X3dSpline, SplinesBecomeKeysOfTheirCurves) {
  const ReadClip path = kClassic.Read(kSwing, "Other");
  ASSERT_EQ(path.frames(), 129u) << path.end << ": two spans of 2 s, each at most 64 keys";
  // Without velocities at the ends, and a slope of 0 in the middle: a smooth step.
  for (const auto& [key, height] : {std::pair(16, 0.15625f), {32, 0.5f}, {64, 1.0f}, {96, 0.5f}}) {
    EXPECT_NEAR(path.place(static_cast<size_t>(key), 0).y, 0.9f + height, 1e-5f) << key;
  }
  const ReadClip sent = kClassic.Read(
      absl::StrReplaceAll(kSwing,
                          {{"keyValue [0 0 0, 0 1 0, 0 0 0]",
                            "keyValue [0 0 0, 0 1 0, 0 0 0] keyVelocity [0 4 0, 0 0 0, 0 0 0]"}}),
      "Other");
  EXPECT_NEAR(sent.place(32, 0).y, 0.9f + 0.5f + 4 * 0.125f, 1e-5f);
  // Two are those of the first and the last key.
  const ReadClip ends = kClassic.Read(
      absl::StrReplaceAll(kSwing, {{"keyValue [0 0 0, 0 1 0, 0 0 0]",
                                    "keyValue [0 0 0, 0 1 0, 0 0 0] keyVelocity [0 4 0, 0 0 0]"}}),
      "Other");
  EXPECT_NEAR(ends.place(32, 0).y, 0.9f + 0.5f + 4 * 0.125f, 1e-5f);
  EXPECT_THAT(kClassic.WhyNot(absl::StrReplaceAll(
                                  kSwing, {{"key [0 0.5 1]", "keyVelocity [0 1] key [0 0.5 1]"}}),
                              "Other"),
              HasSubstr("keyVelocity has 2 numbers for 3 keys"));

  const std::string far =
      "0 3e38 0, 0 -3e38 0] normalizeVelocity TRUE "
      "keyVelocity [0 1 0, 0 1 0, 0 1 0]";
  EXPECT_THAT(kClassic.WhyNot(absl::StrReplaceAll(kSwing, {{"0 1 0, 0 0 0]", far}}), "Other"),
              HasSubstr("line 10: SplinePositionInterpolator: its curve has numbers"));

  const ReadClip swing = kClassic.Read(kSwing);
  EXPECT_GT(swing.frames(), 90u);
  const auto knee = swing.turn(30, 2);
  EXPECT_NEAR(std::fabs(knee.x), std::sin(0.5), 1e-3) << "through the file's key at 0.5 s";
}

}  // namespace
}  // namespace posewire::clipio
