#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "libs/offsets/offsets_file.h"
#include "tests/unit/offsets/moving_points.h"

namespace posewire::offsets {
namespace {

using skel::Vec3;
using testing::HasSubstr;

constexpr size_t kPoints = 20, kFrames = 600;

std::string Written(Method method = Method::kBox8) {
  OffsetsHeader header;
  header.method = method;
  header.points = kPoints;
  header.frames = kFrames;
  header.rate_num = 30000;
  header.rate_den = 1001;
  header.mesh_hash = 0x1234;
  header.clip_hash = 0x5678;
  return *WriteOffsets(header, {}, MovingPoints(kPoints, kFrames));
}

std::string Rejection(const std::string& bytes, const FileLimits& limits = {}) {
  return std::string(OffsetsFile::Parse(bytes, limits).status().message());
}

TEST(OffsetsFile, HasItsHeaderAndChunksOf256Frames) {
  const OffsetsFile file = *OffsetsFile::Parse(Written());
  EXPECT_EQ(file.header().points, kPoints);
  EXPECT_EQ(file.header().frames, kFrames);
  EXPECT_EQ(file.header().rate_num, 30000u);
  EXPECT_EQ(file.header().rate_den, 1001u);
  ASSERT_EQ(file.chunks(), 3u);
  EXPECT_EQ(file.chunk_frames(0), 256u);
  EXPECT_EQ(file.chunk_frames(2), 88u);
}

TEST(OffsetsFile, OpensTheLastChunkWithoutTheOthers) {
  const std::vector<Vec3> values = MovingPoints(kPoints, kFrames);
  const OffsetsFile file = *OffsetsFile::Parse(Written(Method::kFloat));
  std::vector<Vec3> out(kPoints);
  (*file.Open(2))->Frame(87, absl::MakeSpan(out));
  EXPECT_EQ(std::memcmp(out.data(), &values[599 * kPoints], kPoints * sizeof(Vec3)), 0);
}

TEST(OffsetsFile, IsTheSameOnEachRun) {
  EXPECT_EQ(Written(Method::kClusters), Written(Method::kClusters));
}

TEST(OffsetsFile, SaysWhenItIsOfAnotherMeshOrClip) {
  const OffsetsFile file = *OffsetsFile::Parse(Written());
  EXPECT_TRUE(file.Check(0x1234, 0x5678).ok());
  EXPECT_TRUE(file.Check(0, 0).ok());
  EXPECT_THAT(std::string(file.Check(0x1235, 0x5678).message()),
              HasSubstr("of another mesh: its hash is 1235, and theirs 1234; bake them again"));
  EXPECT_THAT(std::string(file.Check(0x1234, 1).message()), HasSubstr("of another clip"));
}

TEST(OffsetsFile, RejectsWhatIsDamaged) {
  const std::string good = Written();
  EXPECT_THAT(Rejection("RIFFWAVE"), HasSubstr("not an .offsets file"));
  EXPECT_THAT(Rejection(good.substr(0, 50)),
              HasSubstr("file has 50 bytes, expected a header of 68"));
  EXPECT_THAT(Rejection(good.substr(0, good.size() - 1)), HasSubstr("chunk 2 has"));
  EXPECT_THAT(Rejection(good + "x"), HasSubstr("bytes, expected"));
  std::string other = good;
  other[44] = 1;  // the mesh's hash
  EXPECT_THAT(Rejection(other), HasSubstr("checksum of header and index"));
  other = good;
  other[8] = 3;
  EXPECT_EQ(OffsetsFile::Parse(other).status().code(), absl::StatusCode::kUnimplemented);
  other[8] = 1;
  EXPECT_THAT(Rejection(other), HasSubstr("from joints alone"));
  EXPECT_THAT(Rejection(other), HasSubstr("bake it again"));
  other = good;
  other.back() = static_cast<char>(other.back() ^ 1);
  const OffsetsFile file = *OffsetsFile::Parse(other);
  EXPECT_TRUE(file.Open(0).ok());
  EXPECT_EQ(file.Open(2).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(file.Open(2).status().message()), HasSubstr("chunk 2: its checksum"));
}

TEST(OffsetsFile, CountsThatTheBytesCannotHoldAreRejectedBeforeMemoryIsTaken) {
  std::string many = Written();
  const uint32_t frames = 1u << 24, chunks = frames / 256;
  std::memcpy(&many[20], &frames, 4);
  std::memcpy(&many[36], &chunks, 4);
  EXPECT_THAT(Rejection(many), HasSubstr("which do not fit together"));
  EXPECT_EQ(OffsetsFile::Parse(Written(), {.points = 19}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Rejection(Written(), {.chunk_bytes = 100}), HasSubstr("expected at most 100"));
}

TEST(WriteOffsets, NamesWhatCannotBe) {
  OffsetsHeader header;
  header.points = 2;
  header.frames = 2;
  std::vector<Vec3> values(4);
  EXPECT_TRUE(WriteOffsets(header, {}, values).ok());
  values[3].y = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(std::string(WriteOffsets(header, {}, values).status().message()),
              HasSubstr("offset of point 1 in frame 1 is not three numbers"));
  values.pop_back();
  EXPECT_THAT(std::string(WriteOffsets(header, {}, values).status().message()),
              HasSubstr("3 offsets for 2 points, 2 frames"));
  EXPECT_THAT(
      std::string(WriteOffsets(header, {.variance = 2}, std::vector<Vec3>(4)).status().message()),
      HasSubstr("variance is 2"));
  const auto rejection = [&](const Settings& settings) {
    return std::string(WriteOffsets(header, settings, std::vector<Vec3>(4)).status().message());
  };
  EXPECT_THAT(rejection({.quality = 101}),
              HasSubstr("quality is 101 and crf 12, expected 1 to 100"));
  EXPECT_THAT(rejection({.crf = 52}), HasSubstr("crf 52, expected 1 to 100, and 0 to 51"));
  std::vector<Uv> uv(3);
  EXPECT_THAT(rejection({.uv = uv}), HasSubstr("3 texture coordinates for 2 points"));
  uv = {{0, 0}, {0, std::numeric_limits<float>::infinity()}};
  EXPECT_THAT(rejection({.uv = uv}),
              HasSubstr("coordinates of point 1 are not two finite numbers"));
}

TEST(ContentHash, IsFnv1a) {
  EXPECT_EQ(ContentHash(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(ContentHash("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(ContentHash("b", ContentHash("a")), ContentHash("ab"));
}

}  // namespace
}  // namespace posewire::offsets
