#include "libs/recording/wav_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/clipio/trickling_pipe.h"
#include "tests/unit/wire/status_matchers.h"

namespace posewire::clipio {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string LittleNumber(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

std::string RiffChunk(const std::string& id, const std::string& body, bool pad = true) {
  return absl::StrCat(id, LittleNumber(body.size(), 4), body,
                      pad && body.size() % 2 != 0 ? std::string(1, '\0') : "");
}

std::string FormOf16Bits(int rate_hz = 16000) {
  return absl::StrCat(
      LittleNumber(1, 2), LittleNumber(1, 2), LittleNumber(static_cast<uint64_t>(rate_hz), 4),
      LittleNumber(static_cast<uint64_t>(2 * rate_hz), 4), LittleNumber(2, 2), LittleNumber(16, 2));
}

// Bytes that are no chunks, whatever they are cut to.
std::string Sound(size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(200 + i % 40);
  return out;
}

std::string WavOf(const std::string& sound, uint64_t said, const std::string& after = "",
                  uint64_t riff = 36) {
  return absl::StrCat("RIFF", LittleNumber(riff, 4), "WAVE", RiffChunk("fmt ", FormOf16Bits()),
                      "data", LittleNumber(said, 4), sound, after);
}

struct WavRead {
  absl::Status status;
  std::string sound;
  std::vector<std::string> warnings;
  bool is_wav = false;
};

WavRead ReadSound(files::ByteSource& source, size_t portion = 2) {
  WavRead out;
  recording::WavReader reader(&source);
  out.status = reader.Open();
  out.is_wav = reader.form().has_value();
  while (out.status.ok()) {
    const auto bytes = reader.Peek(portion);
    out.status = bytes.status();
    if (!bytes.ok() || bytes->empty()) break;
    out.sound.append(bytes->data(), bytes->size());
    reader.Skip(bytes->size());
  }
  if (out.status.ok() && reader.data_bytes()) {
    EXPECT_EQ(static_cast<int64_t>(out.sound.size()), *reader.data_bytes());
  }
  out.warnings = reader.warnings();
  return out;
}

WavRead AsFile(const std::string& bytes) {
  files::MemorySource source("a.wav", bytes);
  return ReadSound(source);
}

WavRead AsPipe(const std::string& bytes, size_t most = 1 << 20) {
  TricklingPipe source(bytes, most);
  return ReadSound(source);
}

TEST(WavReader, SizesThatWereNotKnownGoToTheEnd) {
  const std::string sound = Sound(1000);
  for (const uint64_t said :
       {0u, 0xffffffffu, 0x7fffffffu, 2000000000u, 0x7ffff000u, 0x7fffffdbu}) {
    for (const uint64_t riff : {0u, 8u, 36u, 0xffffffffu, 12345u}) {
      const std::string wav = WavOf(sound, said, "", riff);
      for (const WavRead& read : {AsFile(wav), AsPipe(wav), AsPipe(wav, 7)}) {
        ASSERT_THAT(read.status, IsOk());
        EXPECT_EQ(read.sound, sound) << said;
        EXPECT_THAT(read.warnings, IsEmpty());
      }
    }
  }
}

TEST(WavReader, ChunksAfterDataAreNoSound) {
  for (const size_t bytes : {1000u, 1001u}) {
    const std::string sound = Sound(bytes);
    const std::string pad(bytes % 2, '\0');
    const std::string list = RiffChunk("LIST", "INFOISFT\x0e\0\0\0Lavf58.29.100");
    for (const std::string& after :
         {pad, std::string(), pad + list, list, pad + list + RiffChunk("id3 ", Sound(33)),
          pad + RiffChunk("bext", Sound(602)) + list, pad + RiffChunk("zzZ1", "abcd"),
          pad + "TAG" + Sound(125), pad + std::string(300, '\0')}) {
      const std::string wav = WavOf(sound, bytes, after);
      const WavRead file = AsFile(wav);
      EXPECT_EQ(file.sound, sound) << after;
      EXPECT_THAT(file.warnings, IsEmpty()) << after;
      // A pipe does not show that zeros fill the last block.
      if (after.size() > 2 && after[1] == '\0' && after[2] == '\0') continue;
      for (const size_t most : {1u, 13u, 100000u}) {
        const WavRead pipe = AsPipe(wav, most);
        EXPECT_EQ(pipe.sound, sound) << after;
        EXPECT_THAT(pipe.warnings, IsEmpty()) << after;
      }
    }
  }
}

TEST(WavReader, ASizeInTheMiddleOfSamplesIsDoubted) {
  const std::string sound = Sound(9000);
  for (const uint64_t said : {2u, 1000u, 1001u, 8990u}) {
    for (const WavRead& read : {AsFile(WavOf(sound, said)), AsPipe(WavOf(sound, said), 77)}) {
      EXPECT_EQ(read.sound, sound) << said;
      EXPECT_THAT(read.warnings, ElementsAre(HasSubstr(absl::StrCat("says ", said, " bytes"))));
    }
  }
}

TEST(WavReader, AFileThatIsCutOffIsSaid) {
  const WavRead read = AsFile(WavOf(Sound(100), 5000));
  EXPECT_EQ(read.sound, Sound(100));
  EXPECT_THAT(read.warnings,
              ElementsAre("its data chunk says 5000 bytes, but the file ends after 100 of them"));
  const WavRead pipe = AsPipe(WavOf(Sound(100), 5000), 30);
  EXPECT_EQ(pipe.sound, Sound(100));
  EXPECT_THAT(pipe.warnings,
              ElementsAre("its data chunk says 5000 bytes, but it ends 4900 bytes earlier"));
}

TEST(WavReader, AnEmptyOneStaysEmpty) {
  const std::string list = RiffChunk("LIST", "INFOISFT\x04\0\0\0abc\0");
  for (const std::string& wav : {WavOf("", 0), WavOf("", 0, list), WavOf("", 0, "", 0xffffffff)}) {
    for (const WavRead& read : {AsFile(wav), AsPipe(wav), AsPipe(wav, 3)}) {
      EXPECT_THAT(read.status, IsOk());
      EXPECT_TRUE(read.is_wav);
      EXPECT_EQ(read.sound, "");
    }
  }
}

TEST(WavReader, LongFormsAndTheirPlaceholders) {
  const std::string sound = Sound(500);
  const std::string list = RiffChunk("LIST", "INFO");
  const auto rf64 = [&](const std::string& name, uint64_t bytes, const std::string& after) {
    return absl::StrCat(name, LittleNumber(0xffffffff, 4), "WAVE",
                        RiffChunk("ds64", LittleNumber(0, 8) + LittleNumber(bytes, 8) +
                                              LittleNumber(0, 8) + LittleNumber(0, 4)),
                        RiffChunk("fmt ", FormOf16Bits()), "data", LittleNumber(0xffffffff, 4),
                        sound, after);
  };
  for (const std::string& wav :
       {rf64("RF64", 500, list), rf64("BW64", 500, list), rf64("RF64", 0, ""),
        rf64("RF64", ~uint64_t{0}, ""), rf64("BW64", uint64_t{1} << 40, "")}) {
    for (const WavRead& read : {AsFile(wav), AsPipe(wav, 50)}) {
      ASSERT_THAT(read.status, IsOk());
      EXPECT_EQ(read.sound, sound);
      EXPECT_THAT(read.warnings, IsEmpty());
    }
  }
}

TEST(WavReader, OtherBytesAreGivenAsTheyAre) {
  for (const std::string& bytes : {std::string(), std::string("abc"), Sound(100),
                                   std::string("RIFF....AVI LIST"), std::string("RIFX....WAVE")}) {
    const WavRead read = AsPipe(bytes, 5);
    EXPECT_FALSE(read.is_wav);
    EXPECT_EQ(read.sound, bytes);
  }
}

// Legal differences between the writers of one sound.
TEST(WavReader, OneSoundWrittenInAHundredWaysIsTheSame) {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    const std::string sound = Sound(2 * (1 + random() % 3000));
    const auto may = [&] { return random() % 2 == 0; };
    std::string form = FormOf16Bits();
    if (may()) {
      form += LittleNumber(0, 2);
    } else if (may()) {  // extensible
      form.replace(0, 2, LittleNumber(0xfffe, 2));
      form += LittleNumber(22, 2) + LittleNumber(16, 2) + LittleNumber(4, 4) + LittleNumber(1, 2) +
              std::string("\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14);
    }
    const auto others = [&] {
      std::string out;
      for (const char* id : {"LIST", "JUNK", "bext", "fact", "PEAK", "cue "}) {
        if (may()) out += RiffChunk(id, Sound(random() % 50));
      }
      return out;
    };
    const bool knows = may();
    const uint64_t placeholders[] = {0, 0xffffffff, 0x7fffffff, 2000000000};
    const std::string wav = absl::StrCat(
        "RIFF", LittleNumber(random(), 4), "WAVE", others(), RiffChunk("fmt ", form), others(),
        "data", LittleNumber(knows ? sound.size() : placeholders[random() % 4], 4), sound,
        knows ? others() : "");
    for (const WavRead& read : {AsFile(wav), AsPipe(wav, 1 + random() % 4000)}) {
      ASSERT_THAT(read.status, IsOk());
      ASSERT_EQ(read.sound, sound) << round;
      EXPECT_THAT(read.warnings, IsEmpty());
    }
  }
}

TEST(WavReader, DamageIsSaidOrReadAndEnds) {
  std::mt19937 random(12);
  const std::string whole =
      WavOf(Sound(600), 600, RiffChunk("LIST", "INFOISFT\x04\0\0\0abc\0"), 700);
  for (int round = 0; round < 2000; ++round) {
    std::string wav = whole;
    for (int n = 0; n < 1 + round % 4; ++n) wav[random() % 44] = static_cast<char>(random());
    if (round % 3 == 0) wav.resize(random() % wav.size());
    for (const WavRead& read : {AsFile(wav), AsPipe(wav, 1 + random() % 100)}) {
      EXPECT_LE(read.sound.size(), wav.size());
      if (read.status.ok()) continue;
      EXPECT_THAT(std::string(read.status.message()), HasSubstr("WAV"));
    }
  }
}

}  // namespace
}  // namespace posewire::clipio
