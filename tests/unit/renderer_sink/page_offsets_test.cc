#include "services/renderer_sink/view/page_offsets.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/unit/renderer_sink/film_clips.h"

namespace posewire::renderer_sink {
namespace {

using skel::Vec3;

// What the page adds to each point is what `render` adds, before the skin.
TEST(PageOffsets, AreTheSumOfTheClipsThatAreSeen) {
  FilmClips clips;
  clips.AddClip(11, 60);
  clips.AddClip(12, 60);
  const auto made = OffsetsFor(clips.figure, clips.files, -1);
  ASSERT_TRUE(made.ok()) << made.status();
  const auto& of = *made;
  ASSERT_NE(of, nullptr);
  auto page = PageOffsets::Make(*of, size_t{64} << 20, service::Logger());
  ASSERT_TRUE(page.ok()) << page.status();
  const skel::Rig& rig = *clips.figure->rig;
  wire::StreamHeader header;
  header.joints.assign(rig.joint_paths().begin(), rig.joint_paths().end());
  ASSERT_TRUE((*page)->OnHeader(header, clips.rigs).ok());
  const std::vector<float> row(static_cast<size_t>(rig.joints()) + 1, 1.0f);
  std::vector<float> half = row, quarter = row;
  for (float& share : half) share = 0.5f;
  for (float& share : quarter) share = 0.25f;
  wire::ContributionsWriter writer(clips.figure->rig);
  writer.Begin();
  writer.Add({.clip = "a", .clip_hash = 11, .time_s = 1, .weight = 0.5f}, half);
  writer.Add({.clip = "b", .clip_hash = 12, .time_s = 0.5, .weight = 0.25f}, quarter);
  wire::DataChunk data;
  data.earliest_time_code_s = 1.5;
  data.metadata.push_back(writer.Finish(0));
  const size_t n = clips.points();
  // All points move, so that each is in the message; until the chunks are there none is.
  std::shared_ptr<const std::string> bytes;
  double now_s = 0;
  uint32_t moved = 0;
  float low[3], step[3];
  ASSERT_TRUE(Eventually([&] {
    bytes = (*page)->Write(data, {2, 5, 9}, now_s += 1.0 / 30);
    if (bytes == nullptr) return false;
    std::memcpy(&moved, bytes->data() + 20, 4);
    if (moved != n) return false;
    // Until both have faded in: as far as the farthest of their sums.
    std::memcpy(low, bytes->data() + 24, 12);
    std::memcpy(step, bytes->data() + 36, 12);
    float farthest = 0;
    for (size_t i = 0; i < n; ++i) {
      farthest = std::max(
          farthest, (FilmClips::Offset(11, 30, i) * 0.5f + FilmClips::Offset(12, 15, i) * 0.25f).x);
    }
    return std::abs(low[0] + step[0] * 65535 - farthest) < 1e-6f;
  }));
  std::memcpy(low, bytes->data() + 24, 12);
  std::memcpy(step, bytes->data() + 36, 12);
  const char* codes = bytes->data() + 52 + (n + 31) / 32 * 4;
  for (size_t i = 0; i < n; ++i) {
    const Vec3 wanted = FilmClips::Offset(11, 30, i) * 0.5f + FilmClips::Offset(12, 15, i) * 0.25f;
    const float* const want = &wanted.x;
    for (int c = 0; c < 3; ++c) {
      uint16_t code = 0;
      std::memcpy(&code, codes + (i * 3 + static_cast<size_t>(c)) * 2, 2);
      EXPECT_NEAR(low[c] + step[c] * code, want[c], step[c] + 1e-6f);
    }
  }
}

TEST(PageOffsets, OfAShapeSetComeWithTheWeights) {
  FilmClips clips;
  clips.AddShapes();
  const auto of = OffsetsFor(clips.figure, clips.files, -1);
  ASSERT_TRUE(of.ok()) << of.status();
  auto page = PageOffsets::Make(**of, size_t{64} << 20, service::Logger());
  ASSERT_TRUE(page.ok()) << page.status();
  wire::StreamHeader header;
  header.shapes = {clips.figure->rig->shape_names()[2]};
  ASSERT_TRUE((*page)->OnHeader(header, clips.rigs).ok());
  wire::DataChunk data;
  data.earliest_time_code_s = 0;
  data.pose[wire::kWeights] = {1, {0}, {0.5f}};
  const auto bytes = (*page)->Write(data, {2, 5, 9}, 0);
  ASSERT_NE(bytes, nullptr);
  uint32_t moved = 0;
  float low_x = 0;
  std::memcpy(&moved, bytes->data() + 20, 4);
  std::memcpy(&low_x, bytes->data() + 24, 4);
  EXPECT_EQ(moved, clips.points());
  EXPECT_NEAR(low_x, 0.5f * 3e-4f, 1e-7f);
}

// The page only skins: what moves the points after that is sent like offsets.
TEST(PageOffsets, HaveWhatMovesThePointsAfterTheSkin) {
  const FilmClips clips;
  auto person = std::make_shared<character::Character>(*clips.figure);
  character::Lattice lattice;
  lattice.node = person->order[0];
  lattice.low = {-9, -9, -9};
  lattice.high = {9, 9, 9};
  character::Lattice::Move move;
  move.drive.kind = character::Drive::Kind::kProduct;
  move.drive.sources = {2};
  for (uint8_t corner = 0; corner < 8; ++corner) {
    move.pushes.push_back({{static_cast<uint8_t>(corner & 1), static_cast<uint8_t>(corner >> 1 & 1),
                            static_cast<uint8_t>(corner >> 2)},
                           {0, 0.25f, 0}});
  }
  lattice.moves.push_back(move);
  person->after_skin.lattices.push_back(lattice);
  const auto of = OffsetsFor(person, {}, -1);
  ASSERT_TRUE(of.ok()) << of.status();
  ASSERT_NE(*of, nullptr);
  auto page = PageOffsets::Make(**of, size_t{64} << 20, service::Logger());
  ASSERT_TRUE(page.ok()) << page.status();
  wire::StreamHeader header;
  header.shapes = {person->rig->shape_names()[2]};
  ASSERT_TRUE((*page)->OnHeader(header, clips.rigs).ok());
  wire::DataChunk data;
  data.earliest_time_code_s = 0;
  data.pose[wire::kWeights] = {1, {0}, {0.5f}};
  const auto bytes = (*page)->Write(data, {2, 5, 9}, 0);
  ASSERT_NE(bytes, nullptr);
  uint32_t moved = 0;
  float low_y = 0;
  std::memcpy(&moved, bytes->data() + 20, 4);
  std::memcpy(&low_y, bytes->data() + 28, 4);
  EXPECT_EQ(moved, clips.points());
  EXPECT_NEAR(low_y, 0.125f, 1e-5f);
}

TEST(PageOffsets, AreOfNobodyElse) {
  FilmClips clips;
  clips.AddClip(11, 60);
  clips.files[0].header.mesh_hash ^= 1;
  EXPECT_EQ(*OffsetsFor(clips.figure, clips.files, -1), nullptr);
}

}  // namespace
}  // namespace posewire::renderer_sink
