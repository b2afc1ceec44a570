#include "libs/stream/resume.h"

#include <gtest/gtest.h>

namespace posewire::stream {
namespace {

wire::DataChunk Chunk(double pose_s, double audio_s, size_t samples) {
  wire::DataChunk chunk;
  chunk.pose[wire::kWeights].time_codes_s = {pose_s};
  chunk.audio.emplace();
  chunk.audio->time_code_s = audio_s;
  chunk.audio->samples.resize(samples);
  return chunk;
}

TEST(HeldTracks, HoldsNothingAtFirst) {
  const HeldTracks held(16000);
  EXPECT_EQ(held.received_until_s(), -1);
  EXPECT_FALSE(held.Has(Chunk(0, 0, 1600)));
}

TEST(HeldTracks, IsHeldUpToTheTrackThatIsLeastFar) {
  HeldTracks held(16000);
  held.Add(Chunk(0.2, 0.2, 1600));
  EXPECT_EQ(held.received_until_s(), 0.2);
  held.Add(Chunk(0.5, 0.3, 800));
  EXPECT_NEAR(held.received_until_s(), 0.35, 1e-9);
}

TEST(HeldTracks, HasWhatWasAddedAndNothingThatReachesFurther) {
  HeldTracks held(16000);
  held.Add(Chunk(0.1, 0, 1600));
  EXPECT_TRUE(held.Has(Chunk(0.1, 0, 1600)));
  EXPECT_FALSE(held.Has(Chunk(0.2, 0, 1600)));
  EXPECT_FALSE(held.Has(Chunk(0.1, 0, 1601)));
  EXPECT_FALSE(held.Has(wire::DataChunk()));
}

TEST(CheckSameHeader, NamesWhatDiffers) {
  wire::StreamHeader first, now;
  EXPECT_TRUE(CheckSameHeader(first, now).ok());
  now.joints = {"head"};
  EXPECT_NE(CheckSameHeader(first, now).message().find("joints"), std::string::npos);
  now = first;
  now.audio_rate_hz = 8000;
  EXPECT_EQ(CheckSameHeader(first, now).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace posewire::stream
