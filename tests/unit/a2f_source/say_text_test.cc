#include "services/a2f_source/speaker/say_text.h"

#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/speech/flite_voice.h"
#include "services/a2f_source/core/say_source.h"
#include "services/a2f_source/voices/voice_catalog.h"

namespace posewire::a2f_source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SayDefaults Defaults() {
  return {.text = {{"stream", "", "", ""}, "", "slt", 1, "queue"},
          .max_text_bytes = 20,
          .check_text = [](absl::string_view voice, absl::string_view clean) {
            return VoiceCatalog::Open({}).value()->CheckText(voice, clean);
          }};
}

absl::Status Complete(SayText& text, std::vector<std::string>* notes = nullptr,
                      const SayDefaults& defaults = Defaults()) {
  std::vector<std::string> kept;
  return CompleteSayText(defaults, text, notes != nullptr ? *notes : kept);
}

void ExpectRejected(SayText text, const std::string& words) {
  const absl::Status status = Complete(text);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << words;
  EXPECT_THAT(std::string(status.message()), HasSubstr(words));
}

TEST(SayText, FillsInWhatIsMissing) {
  SayText text{.text = "Hello"};
  std::vector<std::string> notes;
  ASSERT_TRUE(Complete(text, &notes).ok());
  EXPECT_EQ(text.ids.stream_id, "stream");
  EXPECT_EQ(text.ids.request_id.size(), 36u);
  EXPECT_EQ(text.voice, "slt");
  EXPECT_EQ(text.speed, 1);
  EXPECT_EQ(text.policy, "queue");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(SayText, KeepsWhatWasGiven) {
  SayText text{{"s", "r", "t", ""}, "Hi", "rms", 1.5, "interrupt"};
  ASSERT_TRUE(Complete(text).ok());
  EXPECT_EQ(text.ids.stream_id, "s");
  EXPECT_EQ(text.ids.request_id, "r");
  EXPECT_EQ(text.ids.target_id, "t");
  EXPECT_EQ(text.voice, "rms");
  EXPECT_EQ(text.speed, 1.5);
  EXPECT_EQ(text.policy, "interrupt");
}

TEST(SayText, ErrorsNameTheFieldAndWhatIsRight) {
  ExpectRejected({.text = std::string(21, 'a')}, "text: 21 bytes, at most 20 are right");
  ExpectRejected({.text = ""}, "text: ");
  ExpectRejected({.text = "?!"}, "text: nothing in it can be spoken");
  ExpectRejected({.text = "a\xff"}, "text: byte 1");
  ExpectRejected({.text = "a", .voice = "bob"}, "voice: \"bob\", one of slt, rms, awb is right");
  ExpectRejected({.text = "a", .voice = std::string(5000, 'v')},
                 "vvv...\", 5000 bytes, at most 128");
  ExpectRejected({.text = "a", .language = "en_US"}, "such as en-US, es or pt-BR is right");
  ExpectRejected({.text = "a", .speed = 3}, "speed: 3, 0.5 to 2 is right");
  ExpectRejected({.text = "a", .speed = -1}, "speed: -1");
  ExpectRejected({.text = "a", .speed = std::nan("")}, "speed: nan");
  ExpectRejected({.text = "a", .policy = "now"}, "policy: \"now\", queue or interrupt is right");
  ExpectRejected({.ids = {std::string(129, 'i'), "", "", ""}, .text = "a"}, "stream_id");
  ExpectRejected({.ids = {"s", std::string(129, 'i'), "", ""}, .text = "a"}, "request_id");
  ExpectRejected({.ids = {"s", "", std::string(129, 'i'), ""}, .text = "a"}, "target_object_id");
}

TEST(SayText, AStreamIsNeededFromSomewhere) {
  SayDefaults defaults = Defaults();
  defaults.text.ids.stream_id.clear();
  SayText text{.text = "a"};
  const absl::Status status = Complete(text, nullptr, defaults);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("stream_id: empty"));
}

TEST(SayText, NotesSayWhatIsLeftOut) {
  SayText text{.text = "Hi \xE2\x98\x83"};
  std::vector<std::string> notes;
  ASSERT_TRUE(Complete(text, &notes).ok());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("U+2603")));
}

// Against the voice itself, over sentences of several lengths and at several speeds.
TEST(SayText, TheEstimateOfADurationIsRoughlyRight) {
  const std::string sentence =
      "The quick brown fox jumps over the lazy dog, and nobody knows what it was looking for. ";
  for (const double speed : {0.7, 1.0, 1.6}) {
    for (const int count : {1, 4}) {
      SayText text{.text = "", .voice = "slt", .speed = speed};
      for (int i = 0; i < count; ++i) text.text += sentence;
      auto source = SaySource::Make(text.text, *speech::MakeFliteVoice(),
                                    {.fps = {30, 1}, .manner = {.speed = speed}});
      ASSERT_TRUE(source.ok() && (*source)->Header().ok());
      while ((*source)->Next()->has_value()) {
      }
      const double exact_s = *(*source)->duration_s();
      EXPECT_NEAR(EstimateDuration(text), exact_s, 0.25 * exact_s) << speed << " " << count;
    }
  }
}

}  // namespace
}  // namespace posewire::a2f_source
