// What SetUser takes besides head and hands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using ::testing::HasSubstr;

TEST(EngineUsers, AUsersMoodAndPointsAreBounded) {
  Harness h;
  StreamUser good;
  good.name = "ann";
  good.mood = "happy";
  good.input.arousal = 1.0f, good.input.valence = -1.0f;
  for (int i = 0; i < 32; ++i) good.points.push_back({absl::StrCat("point", i), {0, 1, 0}});
  const auto error = [&](auto change) {
    StreamUser user = good;
    change(user);
    const absl::Status s = h.engine->control().SetUser("stream", user, h.now);
    EXPECT_TRUE(s.ok() || s.code() == absl::StatusCode::kInvalidArgument) << s;
    return std::string(s.message());
  };
  EXPECT_EQ(error([](StreamUser&) {}), "");
  EXPECT_THAT(error([](StreamUser& u) {
                u.points.push_back({"one", {}});
              }),
              HasSubstr("there are 33 points; at most 32"));
  for (const std::string& name : {std::string(), std::string(65, 'x'), std::string("a/b")}) {
    EXPECT_THAT(error([&](StreamUser& u) { u.points[3].name = name; }),
                HasSubstr("points[3].name is"));
  }
  EXPECT_THAT(error([](StreamUser& u) { u.points[3].name = "point1"; }),
              HasSubstr("points[3] has the name of points[1]"));
  EXPECT_THAT(error([](StreamUser& u) { u.points[3].at.y = std::nanf(""); }),
              HasSubstr("points[3].position must be within 10 km"));
  EXPECT_THAT(error([](StreamUser& u) { u.mood = std::string(65, 'x'); }),
              HasSubstr("mood.name is 65 bytes long"));
  EXPECT_THAT(error([](StreamUser& u) { u.input.arousal = std::nanf(""); }),
              HasSubstr("arousal and valence must be from -1 to 1"));
  EXPECT_THAT(error([](StreamUser& u) { u.input.valence = -1.01f; }),
              HasSubstr("arousal and valence must be from -1 to 1"));
}

}  // namespace
}  // namespace posewire::anim_graph
