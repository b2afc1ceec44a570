#include "libs/voice_http/sound_decoder.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace posewire::voice_http {
namespace {

using ::testing::HasSubstr;

absl::Status Decoded(const std::string& bytes, Heard& heard) {
  SoundDecoder decoder(SoundForm{true, 24000});
  return decoder.Add(bytes, heard);
}

TEST(SoundDecoder, RejectsOtherFormsThatComeAsPcm) {
  const std::string rest(100, '\0');
  for (const char* begin : {"ID3\x04", "OggS", "fLaC", "\xFF\xFB\x90\x64", "\xFF\xF3\x84\xC4",
                            "<html>", "{\"error\": 1}"}) {
    Heard heard;
    EXPECT_THAT(std::string(Decoded(begin + rest, heard).message()), HasSubstr("expected PCM"))
        << begin;
    EXPECT_TRUE(heard.samples.empty());
  }
}

TEST(SoundDecoder, TakesSoftSamplesOfAnyValueForPcm) {
  // -1, 60 ('<'), 123 ('{') and -256 as first samples.
  for (const std::string& begin : {std::string("\xFF\xFF\xFE\xFF", 4), std::string("<\0=\0", 4),
                                   std::string("{\0|\0", 4), std::string("\0\xFF\1\xFF", 4)}) {
    Heard heard;
    EXPECT_TRUE(Decoded(begin, heard).ok());
    EXPECT_EQ(heard.samples.size(), 2u);
  }
}

}  // namespace
}  // namespace posewire::voice_http
