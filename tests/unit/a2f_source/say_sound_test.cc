#include "services/a2f_source/grpc/say_sound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace posewire::a2f_source {
namespace {

namespace sv1 = posewire::source::v1;

using speech::SpeechEnding;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

sv1::SoundFormat Format(uint32_t rate_hz, uint32_t channels) {
  sv1::SoundFormat format;
  format.set_rate_hz(rate_hz);
  format.set_channels(channels);
  return format;
}

std::string Bytes(const std::vector<int16_t>& samples) {
  std::string bytes;
  for (const int16_t s : samples) {
    bytes += static_cast<char>(s & 0xFF);
    bytes += static_cast<char>(s >> 8 & 0xFF);
  }
  return bytes;
}

// A second of silence at 8 kHz, with a text.
sv1::SaySound Second(const std::string& text = "") {
  sv1::SaySound sound;
  sound.set_samples(Bytes(std::vector<int16_t>(8000)));
  sound.set_text(text);
  return sound;
}

void AddWord(const std::string& text, double start_s, double end_s, sv1::SaySound& sound) {
  sv1::SayWord& word = *sound.add_words();
  word.set_text(text);
  word.set_start_s(start_s);
  word.set_end_s(end_s);
}

void AddPhoneme(const std::string& phone, double start_s, double end_s, sv1::SaySound& sound) {
  sv1::SayPhoneme& phoneme = *sound.add_phonemes();
  phoneme.set_phone(phone);
  phoneme.set_start_s(start_s);
  phoneme.set_end_s(end_s);
}

absl::StatusOr<speech::SayItem> Read(const sv1::SaySound& sound, absl::string_view language = "") {
  return ReadSound(sound, Format(8000, 1), language);
}

std::string ErrorOf(const sv1::SaySound& sound) {
  const absl::Status status = Read(sound).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

std::vector<std::string> WordsOf(const speech::SayItem& item) {
  std::vector<std::string> words;
  for (const speech::Word& word : item.sound->words) words.push_back(word.text);
  return words;
}

TEST(CheckFormat, TakesRatesAndChannelsInTheirRanges) {
  for (const uint32_t rate_hz : {8000u, 44100u, 192000u}) {
    for (const uint32_t channels : {0u, 1u, 8u}) {
      EXPECT_TRUE(CheckFormat(Format(rate_hz, channels)).ok()) << rate_hz << " " << channels;
    }
  }
  EXPECT_EQ(CheckFormat(Format(7999, 1)).message(),
            "begin.sound.rate_hz: 7999, 8000 to 192000 are right");
  EXPECT_EQ(CheckFormat(Format(192001, 1)).message(),
            "begin.sound.rate_hz: 192001, 8000 to 192000 are right");
  EXPECT_EQ(CheckFormat(Format(16000, 9)).message(), "begin.sound.channels: 9, 1 to 8 are right");
}

TEST(ReadSound, ReadsLittleEndianSamples) {
  const std::vector<int16_t> samples = {0, 1, -1, 256, -257, 32767, -32768};
  sv1::SaySound sound;
  sound.set_samples(Bytes(samples));
  const auto item = ReadSound(sound, Format(48000, 0), "");
  ASSERT_TRUE(item.ok()) << item.status();
  EXPECT_EQ(item->sound->samples, samples);
  EXPECT_EQ(item->sound->rate_hz, 48000);
  EXPECT_EQ(item->sound->phone_set, speech::PhoneSet::kIpa);
  EXPECT_EQ(item->piece.text, "");
  EXPECT_FALSE(item->ends_clause);
}

TEST(ReadSound, MixesChannelsToTheirMeanWithoutOverflow) {
  sv1::SaySound sound;
  sound.set_samples(Bytes({100, 300, 32767, 32767, -32768, -32768, -100, 101}));
  const auto item = ReadSound(sound, Format(16000, 2), "");
  ASSERT_TRUE(item.ok()) << item.status();
  EXPECT_THAT(item->sound->samples, ElementsAre(200, 32767, -32768, 0));
}

TEST(ReadSound, RejectsSamplesThatAreNotWhole) {
  sv1::SaySound sound;
  sound.set_samples("abc");
  EXPECT_EQ(ErrorOf(sound), "sound.samples: 3 bytes, a multiple of 2 is right");
  sound.set_samples("abcdef");
  EXPECT_EQ(ReadSound(sound, Format(16000, 2), "").status().message(),
            "sound.samples: 6 bytes, a multiple of 4 is right");
}

TEST(ReadSound, TakesNoSoundAtAll) {
  const auto item = Read({});
  ASSERT_TRUE(item.ok()) << item.status();
  EXPECT_THAT(item->sound->samples, IsEmpty());
}

TEST(ReadSound, CleansTheText) {
  const auto item = Read(Second("  **Hello**,\n<b>you</b> \xF0\x9F\x8E\x89 there!\n"));
  ASSERT_TRUE(item.ok()) << item.status();
  EXPECT_EQ(item->piece.text, "Hello, you there!");
}

TEST(ReadSound, TellsHowAClauseEnds) {
  const auto ending = [](const std::string& text, bool ends_clause) {
    sv1::SaySound sound = Second(text);
    sound.set_ends_clause(ends_clause);
    return Read(sound)->piece.ending;
  };
  EXPECT_EQ(ending("Is it?", true), SpeechEnding::kQuestion);
  EXPECT_EQ(ending("是吗？", true), SpeechEnding::kQuestion);
  EXPECT_EQ(ending("It is!", true), SpeechEnding::kExclamation);
  EXPECT_EQ(ending("It is.\n", true), SpeechEnding::kStatement);
  EXPECT_EQ(ending("It is,", true), SpeechEnding::kClause);
  EXPECT_EQ(ending("Is it?", false), SpeechEnding::kCut);
  EXPECT_EQ(ending("", true), SpeechEnding::kCut);
}

TEST(ReadSound, TakesItsWordsForATextThatIsNotGiven) {
  sv1::SaySound sound = Second();
  AddWord("Was", 0.1, 0.2, sound);
  AddWord("it", 0.2, 0.3, sound);
  AddWord("late?", 0.3, 0.8, sound);
  sound.set_ends_clause(true);
  const auto item = Read(sound);
  ASSERT_TRUE(item.ok()) << item.status();
  EXPECT_EQ(item->piece.text, "Was it late?");
  EXPECT_EQ(item->piece.ending, SpeechEnding::kQuestion);
  EXPECT_THAT(WordsOf(*item), ElementsAre("was", "it", "late"));
  EXPECT_DOUBLE_EQ(item->sound->words[2].beat_s, 0.55);
}

TEST(ReadSound, TakesWordsWithoutTheirPunctuation) {
  sv1::SaySound sound = Second("unused");
  for (const char* text :
       {"\"Don't,", "—", "", "Ça", "of,", "(E.g.)", "你好。", "\xFF", "हिन्दी!"}) {
    AddWord(text, 0.5, 0.6, sound);
  }
  const auto item = Read(sound);
  ASSERT_TRUE(item.ok()) << item.status();
  EXPECT_EQ(item->piece.text, "unused");
  EXPECT_THAT(WordsOf(*item), ElementsAre("don't", "ça", "of", "e.g", "你好", "हिन्दी"));
  EXPECT_TRUE(item->sound->words[0].accented);
  EXPECT_FALSE(item->sound->words[2].accented) << "a little word, with a comma after it";
}

TEST(ReadSound, AccentsTheWordsOfItsLanguage) {
  sv1::SaySound sound = Second();
  AddWord("der", 0, 0.2, sound);
  EXPECT_FALSE(Read(sound, "de-AT")->sound->words[0].accented);
  EXPECT_TRUE(Read(sound, "en")->sound->words[0].accented);
}

TEST(ReadSound, CutsTimesToTheSound) {
  sv1::SaySound sound = Second();
  AddWord("a", -0.2, 0.2, sound);
  AddWord("b", 0.9, 1.25, sound);
  AddWord("c", 1.1, 1.2, sound);
  AddPhoneme("a", -0.25, 1.25, sound);
  const auto item = Read(sound);
  ASSERT_TRUE(item.ok()) << item.status();
  EXPECT_EQ(item->sound->words[0].start_s, 0);
  EXPECT_EQ(item->sound->words[1].end_s, 1);
  EXPECT_EQ(item->sound->words[2].start_s, 1);
  EXPECT_EQ(item->sound->words[2].end_s, 1);
  EXPECT_EQ(item->sound->phonemes[0].start_s, 0);
  EXPECT_EQ(item->sound->phonemes[0].end_s, 1);
}

TEST(ReadSound, EndsAPhonemeWhereTheNextOneStarts) {
  sv1::SaySound sound = Second();
  AddPhoneme("m", 0.1, 0.5, sound);
  AddPhoneme("ɑ", 0.3, 0.6, sound);
  const auto item = Read(sound);
  ASSERT_TRUE(item.ok()) << item.status();
  EXPECT_EQ(item->sound->phonemes[0].phone, "m");
  EXPECT_EQ(item->sound->phonemes[0].end_s, 0.3);
  EXPECT_EQ(item->sound->phonemes[1].end_s, 0.6);
}

TEST(ReadSound, RejectsTimesThatAreNotOfTheSound) {
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<double, double>> wrong = {
      {nan, 0.5}, {0.1, nan},  {-infinite, 0.5}, {0.1, infinite},
      {0.5, 0.4}, {-0.3, 0.5}, {0.5, 1.3},       {5, 6}};
  for (const auto& [start_s, end_s] : wrong) {
    sv1::SaySound sound = Second();
    AddWord("fine", 0, 0.1, sound);
    AddWord("wrong", start_s, end_s, sound);
    EXPECT_THAT(ErrorOf(sound), HasSubstr("sound.words[1]: from ")) << start_s << " " << end_s;
    sound = Second();
    AddPhoneme("a", start_s, end_s, sound);
    EXPECT_THAT(ErrorOf(sound), HasSubstr("times within the 1 s of the sound are right"));
    EXPECT_THAT(ErrorOf(sound), HasSubstr("sound.phonemes[0]: from "));
  }
}

TEST(ReadSound, RejectsTimesThatGoBack) {
  sv1::SaySound sound = Second();
  AddPhoneme("a", 0.5, 0.6, sound);
  AddPhoneme("b", 0.5, 0.7, sound);
  AddPhoneme("c", 0.4, 0.8, sound);
  EXPECT_EQ(
      ErrorOf(sound),
      "sound.phonemes[2]: starts at 0.4 s, 0.5 s, where the one before it starts, or later is "
      "right");
}

}  // namespace
}  // namespace posewire::a2f_source
