#include "libs/service/frame_guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace posewire::service {
namespace {

using Bytes = std::vector<uint8_t>;

enum Kind : uint8_t { kData = 0, kHeaders = 1, kReset = 3, kPing = 6, kWindow = 8, kMore = 9 };

Bytes Preface() {
  const std::string text = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  return {text.begin(), text.end()};
}

void Add(Bytes* out, Kind kind, uint8_t flags, size_t size) {
  for (const size_t shift : {16u, 8u, 0u}) out->push_back(static_cast<uint8_t>(size >> shift));
  out->insert(out->end(), {kind, flags, 0, 0, 0, 1});
  out->insert(out->end(), size, kReset);  // would be frames, if it were taken for them
}

class Limits {
 public:
  FrameGuard guard{{.max_header_block_bytes = 1000,
                    .max_header_block_frames = 4,
                    .control_frames_at_once = 10,
                    .control_frames_per_s = 2}};
  Limits() { EXPECT_EQ(guard.Read(Preface(), 0), nullptr); }
  bool Takes(Kind kind, uint8_t flags, size_t size, double now_s = 0) {
    Bytes bytes;
    Add(&bytes, kind, flags, size);
    return guard.Read(bytes, now_s) == nullptr;
  }
};

TEST(FrameGuard, TakesWhatAClientSends) {
  Limits limits;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(limits.Takes(kHeaders, 4, 400));
    ASSERT_TRUE(limits.Takes(kData, 0, 60000));
    ASSERT_TRUE(limits.Takes(kWindow, 0, 4));
    ASSERT_TRUE(limits.Takes(kData, 1, 0));
  }
}

TEST(FrameGuard, RejectsHeadersThatAreTooLarge) {
  Limits limits;
  EXPECT_TRUE(limits.Takes(kHeaders, 4, 1000));
  EXPECT_TRUE(limits.Takes(kHeaders, 0, 500));
  EXPECT_TRUE(limits.Takes(kMore, 4, 500));
  EXPECT_TRUE(limits.Takes(kHeaders, 0, 500));
  EXPECT_FALSE(limits.Takes(kMore, 4, 501));
}

TEST(FrameGuard, RejectsHeadersInTooManyFrames) {
  Limits limits;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(limits.Takes(i == 0 ? kHeaders : kMore, 0, 0));
  EXPECT_FALSE(limits.Takes(kMore, 0, 0));
}

TEST(FrameGuard, TakesControlFramesAsTimeGoesOn) {
  for (const Kind kind : {kReset, kPing, kData}) {
    Limits limits;
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(limits.Takes(kind, 0, 0, 1));
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(limits.Takes(kind, 0, 0, 3));
    EXPECT_FALSE(limits.Takes(kind, 0, 0, 3));
  }
}

TEST(FrameGuard, ReadsPiecesOfAnySizeAsTheWhole) {
  std::mt19937 random(1);
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  for (int round = 0; round < 200; ++round) {
    // Where the whole is refused, counted in frames, the pieces are refused as well.
    FrameGuard whole({.control_frames_at_once = 5, .control_frames_per_s = 0});
    FrameGuard pieces({.control_frames_at_once = 5, .control_frames_per_s = 0});
    Bytes bytes = Preface();
    EXPECT_EQ(whole.Read(bytes, 0), nullptr);
    bool rejected = false;
    while (!rejected) {
      Bytes one;
      Add(&one, below(2) == 0 ? kData : kPing, 0, 1 + below(300));
      rejected = whole.Read(one, 0) != nullptr;
      if (rejected) one.resize(9);
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
    const char* why = nullptr;
    size_t at = 0;
    while (at < bytes.size()) {
      ASSERT_EQ(why, nullptr) << "refused before byte " << at << " of " << bytes.size();
      const size_t some = std::min(bytes.size() - at, 1 + below(40));
      why = pieces.Read({bytes.data() + at, some}, 0);
      at += some;
    }
    EXPECT_NE(why, nullptr);
  }
}

}  // namespace
}  // namespace posewire::service
