#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "absl/cleanup/cleanup.h"
#include "services/renderer_sink/draw/live_offsets.h"
#include "tests/unit/renderer_sink/film_clips.h"

namespace posewire::renderer_sink {
namespace {

using skel::Vec3;

constexpr double kFrame_s = 1.0 / 30;
constexpr size_t kBudget = size_t{512} << 20;

class LiveOffsetsTest : public testing::Test {
 protected:
  void Open(size_t budget = kBudget) {
    auto made = LiveOffsets::Make(clips_.All(), budget, service::Logger());
    ASSERT_TRUE(made.ok()) << made.status();
    live_ = *std::move(made);
  }
  // Frames of nothing until the beginnings are there.
  void UntilReady() {
    ASSERT_TRUE(Eventually([this] {
      live_->Of(rest_.view(), {}, now_s_);
      return live_->ready();
    }));
  }
  absl::Span<const mesh::WeighedOffsets> Show(const wire::Contributions& seen) {
    now_s_ += kFrame_s;
    return live_->Of(rest_.view(), seen, now_s_);
  }
  // What is nearest to the clip's time, the film's way and slowly.
  Vec3 Wanted(const wire::Contributions& seen, size_t frames, size_t point) {
    Vec3 sum;
    for (const wire::Contribution& c : seen.contributions) {
      const auto frame =
          static_cast<size_t>(std::min(std::round(c.time_s * 30), static_cast<double>(frames) - 1));
      sum = sum + FilmClips::Offset(c.clip_hash, frame, point) * c.weight;
    }
    return sum;
  }

  FilmClips clips_;
  const skel::Pose rest_{clips_.figure->rig->joints(), clips_.figure->rig->shapes()};
  std::unique_ptr<LiveOffsets> live_;
  double now_s_ = 0;
};

TEST_F(LiveOffsetsTest, MixesWhatTheFilesHave) {
  clips_.AddClip(11, 80);
  clips_.AddClip(12, 30);
  Open();
  UntilReady();
  std::mt19937 random(5);
  for (int k = 0; k < 40; ++k) {
    // Some past the end of the second clip.
    const double t = 2.5 * static_cast<double>(random() % 1000) / 1000;
    const wire::Contributions seen =
        SeenOf({{.clip = "a", .clip_hash = 11, .time_s = t, .weight = 0.5f},
                {.clip = "b", .clip_hash = 12, .time_s = t, .weight = 0.25f}});
    const auto mix = Show(seen);
    ASSERT_EQ(mix.size(), 2u);
    for (size_t i = 0; i < clips_.points(); i += 7) {
      Vec3 wanted = FilmClips::Offset(11, static_cast<size_t>(std::round(t * 30)), i) * 0.5f;
      wanted = wanted + FilmClips::Offset(
                            12, std::min<size_t>(static_cast<size_t>(std::round(t * 30)), 29), i) *
                            0.25f;
      EXPECT_LT(skel::Length(SumAt(mix, i) - wanted), 1e-6f + 0.035f / 65535) << i;
    }
  }
}

TEST_F(LiveOffsetsTest, AClipThatBeginsAnewWhileItEasesOutIsSeenTwice) {
  clips_.AddClip(11, 70);
  Open();
  UntilReady();
  const wire::Contributions seen =
      SeenOf({{.clip = "a", .clip_hash = 11, .time_s = 2, .weight = 0.75f, .frozen = true},
              {.clip = "a", .clip_hash = 11, .time_s = 0.1, .weight = 0.25f}});
  for (int k = 0; k < 5; ++k) {
    const auto mix = Show(seen);
    for (size_t i = 0; i < clips_.points(); i += 7) {
      EXPECT_LT(skel::Length(SumAt(mix, i) - Wanted(seen, 70, i)), 2e-6f);
    }
  }
}

TEST_F(LiveOffsetsTest, WhatIsLateFadesIn) {
  const auto source = clips_.AddClip(11, 270);
  // Its workers wait for the source, and are waited for.
  const absl::Cleanup release = [&source] { source->Release(); };
  source->HoldFrom(0);
  Open();
  const auto seen = [](double t) {
    return SeenOf({{.clip = "a", .clip_hash = 11, .time_s = t, .weight = 1}});
  };
  for (int k = 0; k < 30; ++k) {
    const auto mix = Show(seen(0.5));
    EXPECT_TRUE(mix.empty());
  }
  source->HoldFrom(source->ChunkAt(1));
  // Time stands until the chunk is there, so that it cannot have faded in.
  ASSERT_TRUE(Eventually([&] {
    live_->Of(rest_.view(), seen(0.5), now_s_);
    return live_->ready();
  }));
  const auto share_of = [](absl::Span<const mesh::WeighedOffsets> mix) {
    return mix.empty() ? 0 : mix[0].shares[0];
  };
  float share = 0, before = 0;
  int frames = 0;
  for (; frames < 30 && share < 1; ++frames) {
    share = share_of(Show(seen(0.5)));
    EXPECT_LE(share - before, kFrame_s / 0.2 + 1e-4) << "no jump";
    EXPECT_GE(share, before);
    before = share;
  }
  EXPECT_GE(frames, 5);
  EXPECT_EQ(share, 1);
  // A seek to what is not there: the frame that was shown fades, then the new one fades in.
  bool gone = false;
  for (int k = 0; k < 12; ++k) {
    const auto mix = Show(seen(8.8));
    share = share_of(mix);
    EXPECT_LE(before - share, kFrame_s / 0.2 + 1e-4);
    before = share;
    if (share > 0.01f) {
      const Vec3 held = FilmClips::Offset(11, 15, 3) * share;
      EXPECT_LT(skel::Length(SumAt(mix, 3) - held), 1e-5f);
    }
    gone = gone || share == 0;
  }
  EXPECT_TRUE(gone);
}

TEST_F(LiveOffsetsTest, MemoryStaysInItsBudget) {
  for (uint64_t clip = 1; clip <= 4; ++clip) clips_.AddClip(clip, 24);
  size_t chunk = 0;
  for (const OffsetsAt& file : clips_.files) {
    const std::string bytes = *files::ReadBytes(*file.source, 0, 1 << 30);
    const auto index = *offsets::FileIndex::Parse(bytes, bytes.size());
    for (size_t c = 0; c < index.chunks(); ++c) {
      chunk = std::max(chunk, offsets::MostChunkBytes(index, c));
    }
  }
  const size_t budget = chunk + offsets::MostIndexBytes(offsets::StreamLimits().file);
  Open(budget);
  std::mt19937 random(9);
  EXPECT_TRUE(Eventually([&] {
    const auto clip = static_cast<uint64_t>(1 + random() % 4);
    Show(SeenOf({{.clip = "x",
                  .clip_hash = clip,
                  .time_s = static_cast<double>(random() % 2),
                  .weight = 1}}));
    EXPECT_LE(live_->counts().used_bytes, budget);
    return live_->counts().evictions >= 5;
  }));
}

TEST_F(LiveOffsetsTest, ABudgetWithoutRoomForAChunkIsToldAtOnce) {
  clips_.AddClip(1, 100);
  clips_.files[0].memory = 5 << 20;
  const auto made = LiveOffsets::Make(clips_.All(), 4 << 20, service::Logger());
  EXPECT_TRUE(absl::IsResourceExhausted(made.status()));
  EXPECT_NE(made.status().message().find("--offsets-mib"), absl::string_view::npos);
}

TEST_F(LiveOffsetsTest, OffsetsOfOthersAreRejected) {
  clips_.AddClip(1, 10);
  clips_.files[0].header.mesh_hash ^= 1;
  const auto made = FilesOf(clips_.figure, clips_.files);
  EXPECT_TRUE(absl::IsFailedPrecondition(made.status()));
  EXPECT_NE(made.status().message().find("clip 1: was made of another"), absl::string_view::npos);
}

TEST_F(LiveOffsetsTest, WithoutAShapeSetALiveFaceKeepsTheHead) {
  clips_.AddClip(11, 30);
  Open();
  UntilReady();
  const auto mix = Show(SeenOf({{.clip = "a", .clip_hash = 11, .weight = 0.5f},
                                {.clip = "nobody's", .clip_hash = 99, .weight = 0.5f},
                                {.clip = "", .weight = 1, .source_service_id = "say"}}));
  ASSERT_EQ(mix.size(), 1u);
  size_t head = 0, body = 0;
  for (const float share : mix[0].shares) {
    if (share == 0) ++head;
    if (std::abs(share - 0.5f) < 1e-5f) ++body;
  }
  EXPECT_GT(head, 50u);
  EXPECT_GT(body, 50u);
  EXPECT_EQ(live_->mixer().missing().count("nobody's"), 1u);
}

// A set of shapes that moves every point by as many tenths of a millimetre as the shape's number.
TEST_F(LiveOffsetsTest, WithAShapeSetALiveFaceMovesOnTopOfTheClip) {
  const auto set = clips_.AddShapes();
  clips_.shapes_hash = set->hash();
  clips_.AddClip(11, 30);
  Open();
  UntilReady();
  skel::Pose pose(clips_.figure->rig->joints(), clips_.figure->rig->shapes());
  pose.span().SetWeight(2, 0.5f);
  now_s_ += kFrame_s;
  const auto mix = live_->Of(pose.view(),
                             SeenOf({{.clip = "a", .clip_hash = 11, .weight = 1},
                                     {.clip = "", .weight = 1, .source_service_id = "say"}}),
                             now_s_);
  ASSERT_EQ(mix.size(), 2u);
  for (size_t i = 0; i < clips_.points(); i += 5) {
    const Vec3 wanted = FilmClips::Offset(11, 0, i) * mix[1].shares[i] + Vec3{0.5f * 3e-4f, 0, 0};
    EXPECT_LT(skel::Length(SumAt(mix, i) - wanted), 2e-6f);
  }
  // The head too.
  EXPECT_EQ(*std::min_element(mix[1].shares.begin(), mix[1].shares.end()), mix[1].shares[0]);
  EXPECT_GT(mix[1].shares[0], 0);
}

TEST_F(LiveOffsetsTest, ClipsThatDoNotFitTheShapeSetAreRefused) {
  const auto why_of = [this] { return FilesOf(clips_.figure, clips_.files).status(); };
  clips_.shapes_hash = 5;
  clips_.AddClip(11, 10);
  EXPECT_TRUE(absl::IsFailedPrecondition(why_of()));
  EXPECT_NE(why_of().message().find("clip 11: was baked on top of a shape set, and there is none"),
            absl::string_view::npos);
  clips_.AddShapes();
  EXPECT_NE(why_of().message().find("clip 11: was baked on top of another shape set than shapes"),
            absl::string_view::npos)
      << why_of();
  clips_.files[0].header.shapes_hash = 0;
  EXPECT_NE(why_of().message().find("clip 11: was not baked on top of the shape set shapes"),
            absl::string_view::npos)
      << why_of();
  clips_.files.erase(clips_.files.begin());
  EXPECT_TRUE(why_of().ok()) << why_of();
  clips_.AddShapes();
  EXPECT_NE(why_of().message().find("are both shape sets"), absl::string_view::npos);
}

TEST_F(LiveOffsetsTest, AMirroredClipHasMirroredOffsets) {
  clips_.AddClip(11, 30);
  Open();
  UntilReady();
  const character::MirroredPoints mirror(live_->mixer().skin().rest());
  ASSERT_TRUE(mirror.symmetric());
  const auto mix = Show(SeenOf({{.clip = "a", .clip_hash = 11, .weight = 1, .mirrored = true}}));
  ASSERT_EQ(mix.size(), 1u);
  size_t compared = 0;
  for (size_t i = 0; i < clips_.points(); ++i) {
    const uint32_t image = mirror.images()[i];
    if (image == character::MirroredPoints::kNone) continue;
    Vec3 wanted = FilmClips::Offset(11, 0, image) * mix[0].shares[i];
    wanted.x = -wanted.x;
    EXPECT_LT(skel::Length(SumAt(mix, i) - wanted), 2e-6f);
    ++compared;
  }
  EXPECT_GT(compared, clips_.points() / 2);
  EXPECT_TRUE(live_->mixer().missing().empty());
}

}  // namespace
}  // namespace posewire::renderer_sink
