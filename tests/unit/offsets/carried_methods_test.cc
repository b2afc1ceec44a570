#include "libs/offsets/carried_methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/offsets/boxes.h"
#include "libs/offsets/bytes.h"
#include "libs/offsets/offsets_file.h"
#include "tests/unit/offsets/counted_memory.h"
#include "tests/unit/offsets/have_ffmpeg.h"
#include "tests/unit/offsets/moving_points.h"

namespace posewire::offsets {
namespace {

using skel::Vec3;
using testing::HasSubstr;

constexpr Method kCarried[] = {Method::kJpeg, Method::kWebp, Method::kFlac, Method::kMp3,
                               Method::kH264, Method::kH265, Method::kVp9};

const MethodEntry& EntryOf(Method method) { return Methods()[static_cast<size_t>(method)]; }

bool CanTry(Method method) { return !IsFilm(method) || HaveFfmpeg(); }

// Points that have nothing to do with each other.
std::vector<Vec3> RandomPoints(size_t points, size_t frames) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-0.02f, 0.02f);
  std::vector<Vec3> out(points * frames);
  for (Vec3& o : out) o = {any(random), any(random), any(random)};
  return out;
}

std::vector<Uv> SomeUv(size_t points) {
  std::mt19937 random(6);
  std::uniform_real_distribution<float> any(0, 1);
  std::vector<Uv> out(points);
  for (Uv& uv : out) uv = {any(random), any(random)};
  return out;
}

double WorstOf(Method method, const std::vector<Vec3>& values, size_t points,
               const Settings& settings) {
  OffsetsHeader header;
  header.method = method;
  header.points = static_cast<uint32_t>(points);
  header.frames = static_cast<uint32_t>(values.size() / points);
  const auto bytes = WriteOffsets(header, settings, values);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  if (!bytes.ok()) return INFINITY;
  return WorstError(*OffsetsFile::Parse(*bytes), values);
}

// Half a step of 8 bits along each axis, and a little for the lattice of boxes.
double BestOf8Bits(const std::vector<Vec3>& values, size_t points) {
  const Boxes boxes = Boxes::OfOneSize({points, values}, 256);
  int widest = 0;
  for (const Boxes::Side& side : boxes.sides) widest = std::max(widest, side.high - side.low);
  return std::sqrt(3.0) * (widest / 255.0 / 2 + 2) * double{boxes.step_m};
}

TEST(CarriedMethods, WhatIsLosslessKeepsTheCodesOfBoxes) {
  const size_t points = 150;
  const std::vector<Uv> uv = SomeUv(points);
  for (const std::vector<Vec3>& values : {MovingPoints(points, 40), RandomPoints(points, 40)}) {
    const double best = BestOf8Bits(values, points);
    for (const bool by_uv : {false, true}) {
      const Settings settings = {
          .quality = 100, .crf = 0, .uv = by_uv ? absl::MakeConstSpan(uv) : absl::Span<const Uv>()};
      EXPECT_LT(WorstOf(Method::kFlac, values, points, settings), 4e-6);
      const double webp = WorstOf(Method::kWebp, values, points, settings);
      EXPECT_LT(webp, best);
      if (!HaveFfmpeg()) continue;
      for (const Method film : {Method::kH264, Method::kH265, Method::kVp9}) {
        EXPECT_EQ(WorstOf(film, values, points, settings), webp) << EntryOf(film).name;
      }
    }
  }
}

struct Promise {
  Method method;
  Settings settings;
  double moving_m, random_m;  // at worst: of points as a character's, and of noise of 4 cm
};

TEST(CarriedMethods, WhatIsNotLosslessStaysNear) {
  const size_t points = 150;
  const std::vector<Uv> uv = SomeUv(points);
  const std::vector<Vec3> moving = MovingPoints(points, 40), random = RandomPoints(points, 40);
  for (const Promise& promise : {
           Promise{Method::kJpeg, {.quality = 95}, 1e-3, 2e-3},
           Promise{Method::kJpeg, {.quality = 80}, 3e-3, 8e-3},
           Promise{Method::kWebp, {.quality = 95}, 2e-3, 2e-3},
           Promise{Method::kMp3, {.quality = 95}, 3e-3, 40e-3},
           Promise{Method::kH264, {.crf = 4}, 1e-3, 2e-3},
           Promise{Method::kH265, {.crf = 4}, 1e-3, 4e-3},
           Promise{Method::kVp9, {.crf = 4}, 1e-3, 2e-3},
       }) {
    if (!CanTry(promise.method)) continue;
    Settings settings = promise.settings;
    for (const bool by_uv : {false, true}) {
      if (by_uv) settings.uv = uv;
      EXPECT_LT(WorstOf(promise.method, moving, points, settings), promise.moving_m)
          << EntryOf(promise.method).name << " " << by_uv;
      EXPECT_LT(WorstOf(promise.method, random, points, settings), promise.random_m)
          << EntryOf(promise.method).name << " " << by_uv;
    }
  }
}

TEST(CarriedMethods, FilmsTakeAnyNumbersOfPointsAndFrames) {
  if (!HaveFfmpeg()) GTEST_SKIP() << "no ffmpeg";
  for (const Method method : {Method::kH264, Method::kH265, Method::kVp9}) {
    for (const auto& [points, frames] : {std::pair<size_t, size_t>{1, 1}, {2, 2}, {7, 257}}) {
      EXPECT_LT(WorstOf(method, MovingPoints(points, frames), points, {.crf = 4}), 2e-3)
          << EntryOf(method).name << ", " << points << " points, " << frames << " frames";
    }
    EXPECT_EQ(WorstOf(method, std::vector<Vec3>(50), 10, {}), 0);
  }
}

TEST(CarriedMethods, UvThatNeighboursShareBringsThemTogether) {
  // A sheet that waves, its points in an order that says nothing.
  const size_t side = 40, points = side * side, frames = 30;
  std::vector<size_t> order(points);
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  std::vector<Uv> uv(points);
  std::vector<Vec3> values(points * frames);
  for (size_t i = 0; i < points; ++i) {
    const auto u = static_cast<float>(order[i] % side) / side;
    const auto v = static_cast<float>(order[i] / side) / side;
    uv[i] = {u, v};
    for (size_t f = 0; f < frames; ++f) {
      const float t = static_cast<float>(f) / 8;
      values[f * points + i] = Vec3{std::sin(4 * u + t), std::cos(5 * v - t), u * v} * 0.02f;
    }
  }
  const Offsets offsets = {points, values};
  for (const Method method : {Method::kJpeg, Method::kWebp, Method::kH264}) {
    if (!CanTry(method)) continue;
    const auto index = EntryOf(method).encode(offsets, {}),
               mapped = EntryOf(method).encode(offsets, {.uv = uv});
    ASSERT_TRUE(index.ok() && mapped.ok());
    EXPECT_LT(mapped->size(), index->size()) << EntryOf(method).name;
  }
}

// A chunk of a method, and where its carrier begins.
struct Sample {
  size_t points = 30, frames = 20;
  std::string bytes;
  size_t carrier = 0;

  explicit Sample(Method method, size_t points = 30, size_t frames = 20)
      : points(points), frames(frames) {
    bytes = *EntryOf(method).encode({points, MovingPoints(points, frames)}, {.crf = 4});
    carrier = 4 + 12 * points + 1;
  }
  absl::Status Open(Method method, const std::string& changed) const {
    return EntryOf(method).open(changed, points, frames).status();
  }
  std::string With(const std::string& other) const { return bytes.substr(0, carrier) + other; }
};

TEST(CarriedMethods, DamagedChunksAreRejectedWithAReasonOrAreFinite) {
  std::mt19937 random(8);
  for (const Method method : kCarried) {
    if (!CanTry(method)) continue;
    const Sample sample(method);
    ASSERT_TRUE(sample.Open(method, sample.bytes).ok());
    const int times = IsFilm(method) ? 8 : 200;
    for (int i = 0; i < times; ++i) {
      std::string damaged = sample.bytes;
      if (i % 2 == 0) damaged.resize(random() % damaged.size());
      for (int k = 0; k < 3 && damaged.size() > sample.carrier; ++k) {
        const size_t at = sample.carrier + random() % (damaged.size() - sample.carrier);
        damaged[at] = static_cast<char>(random());
      }
      const auto chunk = EntryOf(method).open(damaged, sample.points, sample.frames);
      if (!chunk.ok()) {
        EXPECT_GT(chunk.status().message().size(), 10u);
        continue;
      }
      std::vector<Vec3> out(sample.points);
      (*chunk)->Frame(sample.frames - 1, absl::MakeSpan(out));
      for (const Vec3& o : out) EXPECT_LT(skel::Length(o), 1);
    }
    EXPECT_THAT(std::string(sample.Open(method, sample.With("")).message()), testing::Not(""));
    std::string other = sample.bytes;
    other[sample.carrier - 1] = 7;
    EXPECT_THAT(std::string(sample.Open(method, other).message()),
                HasSubstr("way 7 from 20 points to pixels, expected 0"));
  }
}

// What the carrier says of its size is held against the chunk's before memory is taken for it.
TEST(CarriedMethods, CarriersOfAnotherSizeAreRejectedBeforeMemoryIsTaken) {
  const auto rejection = [](Method method, const Sample& sample, const std::string& bytes) {
    const size_t before = counted_bytes;
    most_counted_bytes = before;
    const std::string message(sample.Open(method, bytes).message());
    EXPECT_LT(most_counted_bytes - before, size_t{1} << 20);
    return message;
  };
  const auto huge = [&](Method method, absl::string_view mark, size_t skip,
                        const std::string& claim) {
    const Sample sample(method);
    std::string bytes = sample.bytes;
    const size_t at = bytes.find(std::string(mark), sample.carrier);
    EXPECT_NE(at, std::string::npos);
    bytes.replace(at + mark.size() + skip, claim.size(), claim);
    return rejection(method, sample, bytes);
  };
  // Height and width of a JPEG's start of frame (progressive), after length and precision.
  EXPECT_THAT(huge(Method::kJpeg, "\xFF\xC2", 3, "\xFF\xFF\xFF\xFF"),
              HasSubstr("Maximum supported image dimension"));
  EXPECT_THAT(huge(Method::kJpeg, "\xFF\xC2", 3, "\xFF\x01\xFE\x01"),
              HasSubstr("picture of codes is 65025 by 65281, expected 20 by 60"));
  // Width and height of a WebP's key frame.
  EXPECT_THAT(huge(Method::kWebp, "\x9D\x01\x2A", 0, "\xFF\x3F\xFF\x3F"),
              HasSubstr("picture of codes is 16383 by 16383, expected 20 by 60"));
  // The samples that a FLAC's first block counts.
  EXPECT_THAT(huge(Method::kFlac, "fLaC", 4 + 14, "\xFF\xFF\xFF\xFF"),
              HasSubstr("samples in format"));
  for (const auto& [method, word] : {std::pair{Method::kFlac, "FLAC"}, {Method::kMp3, "MP3"}}) {
    const Sample sample(method);
    EXPECT_THAT(rejection(method, sample, sample.With("RIFF1234WAVEfmt and more")),
                HasSubstr(absl::StrCat("is no ", word)));
  }
}

TEST(CarriedMethods, ManyCodesInFewBytesAreRejectedBeforeMemoryIsTaken) {
  const size_t points = 400000;
  ByteWriter out;
  out.Put(1e-5f);
  for (size_t side = 0; side < 3 * points; ++side) out.Put(int16_t{0});
  for (size_t side = 0; side < 3 * points; ++side) out.Put(uint16_t{1});
  const size_t before = counted_bytes;
  most_counted_bytes = before;
  for (const Method method : kCarried) {
    EXPECT_THAT(std::string(EntryOf(method).open(out.bytes(), points, 256).status().message()),
                HasSubstr("400000 points that move in 256 frames are too many"));
  }
  EXPECT_LT(most_counted_bytes - before, 2 * out.bytes().size());
}

TEST(CarriedMethods, MemoryIsForeseen) {
  for (const Method method : kCarried) {
    if (!CanTry(method)) continue;
    const Sample sample(method, 9000, 40);
    const size_t before = counted_bytes;
    most_counted_bytes = before;
    const auto chunk = EntryOf(method).open(sample.bytes, sample.points, sample.frames);
    ASSERT_TRUE(chunk.ok()) << chunk.status();
    EXPECT_LE(most_counted_bytes - before,
              EntryOf(method).open_bytes(sample.bytes.size(), sample.points, sample.frames) -
                  (size_t{32} << 20))  // which codecs take by malloc
        << EntryOf(method).name;
    EXPECT_GT(most_counted_bytes - before, (*chunk)->held_bytes());
  }
}

TEST(CarriedMethods, FilmsOfAnotherSizeOrLengthAreRejected) {
  if (!HaveFfmpeg()) GTEST_SKIP() << "no ffmpeg";
  for (const Method method : {Method::kH264, Method::kH265, Method::kVp9}) {
    const Sample sample(method), large(method, 3000), shorter(method, 30, 19),
        longer(method, 30, 21);
    EXPECT_THAT(
        std::string(sample.Open(method, sample.With(large.bytes.substr(large.carrier))).message()),
        HasSubstr("ffmpeg"))
        << EntryOf(method).name;
    EXPECT_THAT(
        std::string(
            sample.Open(method, sample.With(shorter.bytes.substr(shorter.carrier))).message()),
        HasSubstr("bytes as pictures, expected"));
    EXPECT_THAT(
        std::string(
            sample.Open(method, sample.With(longer.bytes.substr(longer.carrier))).message()),
        HasSubstr("ffmpeg makes more than"));
    EXPECT_THAT(std::string(sample.Open(method, sample.With("no film at all")).message()),
                HasSubstr("film of codes: ffmpeg"));
  }
}

TEST(CarriedMethods, FilmsSayThatTheyNeedFfmpeg) {
  const std::string path = std::getenv("PATH");
  const Sample sample(Method::kJpeg);
  setenv("PATH", "/nowhere", 1);
  for (const Method method : {Method::kH264, Method::kH265, Method::kVp9}) {
    EXPECT_EQ(sample.Open(method, sample.bytes).code(), absl::StatusCode::kUnavailable);
    const auto encoded = EntryOf(method).encode({30, MovingPoints(30, 20)}, {});
    EXPECT_EQ(encoded.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(encoded.status().message()),
                HasSubstr("needs the ffmpeg program, which is not installed"));
  }
  setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace posewire::offsets
