#include "services/a2f_source/core/pacer.h"

#include <cmath>
#include <string>

#include "gtest/gtest.h"

namespace posewire::a2f_source {
namespace {

TEST(ParseRate, TakesNamesAndFactors) {
  EXPECT_EQ(*ParseRate("realtime"), 1);
  EXPECT_TRUE(std::isinf(*ParseRate("burst")));
  EXPECT_EQ(*ParseRate("2x"), 2);
  EXPECT_EQ(*ParseRate("0.5x"), 0.5);
}

TEST(ParseRate, RejectsAnythingElse) {
  for (const char* text : {"", "x", "2", "fast", "-1x", "0x", "nanx", "infx", "2x "}) {
    EXPECT_EQ(ParseRate(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(Pacer, TheFirstMessageGoesAtOnceWhateverItsCode) {
  Pacer pacer(1, 0.3);
  EXPECT_EQ(pacer.DueAt(5000, 12), 12);
}

TEST(Pacer, StaysAheadOfPlaybackByTheLead) {
  Pacer pacer(1, 0.3);
  pacer.DueAt(100, 12);
  EXPECT_NEAR(pacer.DueAt(100.1, 12), 11.8, 1e-9);
  EXPECT_NEAR(pacer.DueAt(101, 12.7), 12.7, 1e-9);
  EXPECT_NEAR(pacer.DueAt(700, 500), 611.7, 1e-9);
}

TEST(Pacer, AFactorShortensTheCodesAndNotTheLead) {
  Pacer pacer(4, 0.5);
  pacer.DueAt(0, 0);
  EXPECT_NEAR(pacer.DueAt(8, 0), 1.5, 1e-9);
}

TEST(Pacer, ABurstIsAlwaysDue) {
  Pacer pacer(*ParseRate("burst"), 0.3);
  pacer.DueAt(0, 7);
  EXPECT_LE(pacer.DueAt(1e6, 7), 7);
}

}  // namespace
}  // namespace posewire::a2f_source
