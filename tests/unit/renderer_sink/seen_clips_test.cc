#include "services/renderer_sink/core/seen_clips.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "libs/skel/rig.h"

namespace posewire::renderer_sink {
namespace {

class SeenClipsTest : public testing::Test {
 protected:
  SeenClipsTest() : rig_(*catalog_.Find("hanim_loa3")), writer_(rig_) {}

  wire::DataChunk Said(absl::string_view clip) {
    const std::vector<float> row(static_cast<size_t>(rig_->joints()) + 1, 1.0f);
    writer_.Begin();
    writer_.Add({.clip = clip, .clip_hash = 7, .weight = 1}, row);
    wire::DataChunk out;
    out.pose[wire::kWeights] = {1, {0}, {0}};
    out.metadata.push_back(writer_.Finish(0));
    return out;
  }
  std::string ClipBy(double at_s) {
    const auto& seen = seen_.By(at_s).contributions;
    return seen.empty() ? "" : seen.front().clip;
  }

  skel::RigCatalog catalog_ = *skel::RigCatalog::Builtin();
  std::shared_ptr<const skel::Rig> rig_;
  wire::ContributionsWriter writer_;
  SeenClips seen_;
  const wire::DataChunk silent_ = [] {
    wire::DataChunk out;
    out.pose[wire::kWeights] = {1, {0}, {0}};
    return out;
  }();
};

TEST_F(SeenClipsTest, AMomentHasThoseOfTheNearestFrame) {
  EXPECT_EQ(ClipBy(0), "");
  EXPECT_TRUE(seen_.Add(1.0, Said("a")));
  EXPECT_TRUE(seen_.Add(1.1, Said("b")));
  EXPECT_TRUE(seen_.Add(1.2, Said("c")));
  EXPECT_EQ(ClipBy(1.04), "a");
  EXPECT_EQ(ClipBy(1.06), "b");
  EXPECT_EQ(ClipBy(1.16), "c");
  EXPECT_EQ(ClipBy(9), "c");
}

TEST_F(SeenClipsTest, DataThatSaysNothingIsNothing) {
  EXPECT_FALSE(SeenClips::IsSaid({}));
  EXPECT_TRUE(SeenClips::IsSaid(Said("a")));
  EXPECT_TRUE(seen_.Add(1, silent_));
  EXPECT_EQ(ClipBy(2), "");
}

// As where one that is pushed says it, and the next one does not.
TEST_F(SeenClipsTest, DataThatSaysNothingEndsWhatWasSaid) {
  EXPECT_TRUE(seen_.Add(1, Said("a")));
  EXPECT_TRUE(seen_.Add(1.2, {}));  // a voice alone
  EXPECT_TRUE(seen_.Add(2, silent_));
  EXPECT_EQ(ClipBy(1.4), "a");
  EXPECT_EQ(ClipBy(1.6), "");
  EXPECT_TRUE(seen_.Add(3, Said("b")));
  wire::DataChunk broken = Said("c");
  broken.metadata[0].any.pop_back();
  EXPECT_TRUE(seen_.Add(4, broken));
  EXPECT_EQ(ClipBy(3), "b");
  EXPECT_EQ(ClipBy(4), "");
}

TEST_F(SeenClipsTest, WaitingClipsAreBounded) {
  const wire::DataChunk large = Said(std::string(1000, 'x'));
  size_t taken = 0, bytes = 0;
  for (int k = 0; k < 10000; ++k) {
    if (!seen_.Add(k, large)) break;
    ++taken;
    bytes += large.metadata[0].any.size();
  }
  EXPECT_EQ(taken, SeenClips::kMostFrames);
  EXPECT_LE(bytes, SeenClips::kMost_bytes);
  EXPECT_EQ(seen_.left_out(), 1);
  EXPECT_FALSE(seen_.Add(1e4, silent_)) << "one that says nothing takes a place too";
  EXPECT_EQ(seen_.left_out(), 2);
  ClipBy(10);
  EXPECT_TRUE(seen_.Add(10000, large));
}

}  // namespace
}  // namespace posewire::renderer_sink
