#include "libs/voice_http/wav_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "absl/strings/str_cat.h"
#include "tests/unit/voice_http/wav_bytes.h"

namespace posewire::voice_http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Read {
  absl::Status status;
  std::vector<int16_t> samples;
  int rate_hz = 0;
  int64_t not_finite = 0;
};

// In pieces of `step` bytes; 0: of random lengths.
Read ReadWav(absl::string_view bytes, size_t step = 1 << 20) {
  WavStream wav;
  Read out;
  std::mt19937 random(7);
  while (!bytes.empty() && out.status.ok()) {
    const size_t n = std::min(bytes.size(), step > 0 ? step : 1 + random() % 9);
    out.status = wav.Add(bytes.substr(0, n), out.samples);
    bytes.remove_prefix(n);
  }
  if (out.status.ok()) out.status = wav.Finish(out.samples);
  out.rate_hz = wav.rate_hz();
  out.not_finite = wav.not_finite();
  return out;
}

std::string Pcm16(std::initializer_list<int16_t> samples) {
  std::string out;
  for (const int16_t s : samples) out += Bytes(s);
  return out;
}

TEST(WavStream, DecodesEachEncoding) {
  const std::string of16 = WavHeader({}) + Pcm16({1, -2, 32767, -32768});
  EXPECT_THAT(ReadWav(of16).samples, ElementsAre(1, -2, 32767, -32768));
  EXPECT_EQ(ReadWav(of16).rate_hz, 24000);
  const std::string of24 =
      WavHeader({.bits = 24}) + std::string("\x00\x01\x00\x00\x00\x80\xFF\xFF\x7F", 9);
  EXPECT_THAT(ReadWav(of24).samples, ElementsAre(1, -32768, 32767));
  const std::string of32 = WavHeader({.bits = 32}) + Bytes<int32_t>(5 << 16) +
                           Bytes<int32_t>(std::numeric_limits<int32_t>::min());
  EXPECT_THAT(ReadWav(of32).samples, ElementsAre(5, -32768));
  const std::string floats = WavHeader({.kind = 3, .bits = 32}) + Bytes(0.5f) + Bytes(-2.0f);
  EXPECT_THAT(ReadWav(floats).samples, ElementsAre(16384, -32767));
  const std::string extensible =
      WavHeader({.kind = 3, .rate = 48000, .bits = 32, .extensible = true}) + Bytes(-0.5f);
  EXPECT_THAT(ReadWav(extensible).samples, ElementsAre(-16384));
}

TEST(WavStream, AveragesTheChannels) {
  EXPECT_THAT(ReadWav(WavHeader({.channels = 2}) + Pcm16({10, 20, -32768, -32768})).samples,
              ElementsAre(15, -32768));
}

TEST(WavStream, MakesSamplesThatAreNotFiniteSilent) {
  const Read read = ReadWav(WavHeader({.kind = 3, .bits = 32}) + Bytes(std::nanf("")) +
                            Bytes(std::numeric_limits<float>::infinity()) + Bytes(0.5f));
  EXPECT_THAT(read.samples, ElementsAre(0, 0, 16384));
  EXPECT_EQ(read.not_finite, 2);
}

TEST(WavStream, DoesNotTrustTheSizeOfTheData) {
  for (const uint32_t size : {0u, 2u, 4u, 8u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    EXPECT_THAT(ReadWav(WavHeader({.data_size = size}) + Pcm16({1, 2, 3, 4})).samples,
                ElementsAre(1, 2, 3, 4))
        << size;
  }
}

TEST(WavStream, StopsAtAChunkThatFollowsTheData) {
  for (const char* name : {"LIST", "id3 ", "bext"}) {
    const std::string wav =
        WavHeader({.data_size = 4}) + Pcm16({1, 2}) + name + Bytes<uint32_t>(2) + "xx";
    for (const size_t step : {size_t{0}, size_t{1}, size_t{1000}}) {
      EXPECT_THAT(ReadWav(wav, step).samples, ElementsAre(1, 2)) << name;
    }
  }
}

TEST(WavStream, SkipsChunksBeforeTheData) {
  const std::string list = "LIST" + Bytes<uint32_t>(3) + "abc" + std::string(1, '\0');
  EXPECT_THAT(ReadWav(WavHeader({.before_data = list}) + Pcm16({7})).samples, ElementsAre(7));
}

TEST(WavStream, AnySplitGivesTheSameSamples) {
  std::mt19937 random(3);
  for (const WavSpec& spec :
       {WavSpec{}, WavSpec{.channels = 3, .bits = 24}, WavSpec{.data_size = 100},
        WavSpec{.kind = 3, .channels = 2, .bits = 32, .extensible = true},
        WavSpec{.data_size = 101}}) {
    std::string wav = WavHeader(spec);
    for (int i = 0; i < 500; ++i) wav += static_cast<char>(random());
    const Read whole = ReadWav(wav);
    EXPECT_FALSE(whole.samples.empty());
    for (const size_t step : {size_t{0}, size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{101}}) {
      EXPECT_EQ(ReadWav(wav, step).samples, whole.samples) << step;
    }
  }
}

TEST(WavStream, SaysWhatItCannotRead) {
  const auto message = [](const std::string& bytes) {
    const Read read = ReadWav(bytes);
    EXPECT_EQ(read.status.code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(ReadWav(bytes, 1).status, read.status);
    return std::string(read.status.message());
  };
  EXPECT_THAT(message(""), "it has no sound");
  EXPECT_THAT(message("RIFF"), HasSubstr("ends within a WAV's header"));
  EXPECT_THAT(message("\xFF\xF3\x84\xC4zzzzzzzzzz"), HasSubstr("it is MP3 (begins with"));
  EXPECT_THAT(message("ID3zzzzzzzzzzz"), HasSubstr("it is MP3"));
  EXPECT_THAT(message("  <!DOCTYPE html>"), HasSubstr("it is HTML"));
  EXPECT_THAT(message("{\"error\": 1234567}"), HasSubstr("it is JSON"));
  EXPECT_THAT(message("zzzzzzzzzzzzzzz"), HasSubstr("it is no WAV"));
  EXPECT_THAT(message(WavHeader({.kind = 6})), HasSubstr("the encoding 6, expected 1 (PCM)"));
  EXPECT_THAT(message(WavHeader({.channels = 0})), HasSubstr("channels: 0, expected 1 to 8"));
  EXPECT_THAT(message(WavHeader({.channels = 9})), HasSubstr("channels: 9, expected 1 to 8"));
  EXPECT_THAT(message(WavHeader({.rate = 7999})), HasSubstr("7999, expected 8000 to 192000"));
  EXPECT_THAT(message(WavHeader({.bits = 8})),
              HasSubstr("bits a sample: 8, expected 16, 24 or 32"));
  EXPECT_THAT(message("RIFF\0\0\0\0WAVEdata\1\0\0\0"), HasSubstr("ends within"));
  EXPECT_THAT(message(std::string("RIFF\0\0\0\0WAVEdata\1\0\0\0x", 21)),
              HasSubstr("no format before its data"));
  const std::string huge = "LIST" + Bytes<uint32_t>(100000);
  EXPECT_THAT(message(WavHeader({.before_data = huge})), HasSubstr("more than 65536 bytes before"));
}

}  // namespace
}  // namespace posewire::voice_http
