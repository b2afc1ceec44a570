// The voice against a server that lies, stalls and breaks off: lying_voice.py says how.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <future>
#include <iterator>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/http_client/http_client.h"
#include "libs/voice_http/list_voices.h"
#include "libs/voice_http/open_ai_voice.h"
#include "tests/unit/voice_http/lying_server.h"

namespace posewire::voice_http {
namespace {

using speech::Marks;
using speech::Phoneme;
using speech::SpeechPart;
using speech::Word;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Clock = std::chrono::steady_clock;

constexpr char kText[] = "Maybe Bob may move my map.";  // 26 characters
constexpr double kText_s = 26.0 / 15;

struct Spoken {
  absl::Status status;
  size_t samples = 0;
  double loudest = 0;
  int rate_hz = 0;
  std::vector<Phoneme> phonemes;
  std::vector<Word> words;
  double marks_until_s = 0;
  std::vector<std::string> notes;
  int parts = 0;
};

void Hear(const SpeechPart& part, Spoken& out) {
  ++out.parts;
  out.samples += part.samples.size();
  for (const int16_t s : part.samples) out.loudest = std::max(out.loudest, std::abs(1.0 * s));
  if (!part.samples.empty()) {
    EXPECT_TRUE(out.rate_hz == 0 || out.rate_hz == part.rate_hz);
    out.rate_hz = part.rate_hz;
  } else {
    EXPECT_EQ(part.rate_hz, 0);
  }
  if (part.marks_until_s == 0) {
    out.phonemes.clear();
    out.words.clear();
  }
  out.phonemes.insert(out.phonemes.end(), part.phonemes.begin(), part.phonemes.end());
  out.words.insert(out.words.end(), part.words.begin(), part.words.end());
  out.marks_until_s = part.marks_until_s;
  out.notes.insert(out.notes.end(), part.notes.begin(), part.notes.end());
}

Spoken ReadAll(speech::SpeechRun& run) {
  Spoken out;
  while (true) {
    SpeechPart part;
    const auto more = run.Read(part);
    out.status = more.status();
    if (!more.ok() || !*more) return out;
    Hear(part, out);
  }
}

class LyingVoice : public testing::Test {
 protected:
  VoiceServer Settings() const {
    VoiceServer settings;
    settings.url = server_.url();
    settings.key = "sk-secret";
    settings.marks = AskForMarks::kNever;
    return settings;
  }
  std::unique_ptr<OpenAiVoice> Make(VoiceServer settings, const std::string& voice) const {
    auto made = OpenAiVoice::Create(std::move(settings), voice);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  Spoken Speak(VoiceServer settings, const std::string& voice) const {
    const Spoken spoken = ReadAll(**Make(std::move(settings), voice)->Begin({.text = kText}));
    EXPECT_THAT(std::string(spoken.status.message()), Not(HasSubstr("sk-secret")));
    for (const std::string& note : spoken.notes) EXPECT_THAT(note, Not(HasSubstr("sk-secret")));
    return spoken;
  }
  std::string State() const {
    const auto client = http_client::HttpClient::Create({});
    const auto call = (*client)->Open({.url = server_.url() + "/lying/state"});
    std::string buffer(65536, ' ');
    const auto n = (*call)->Read(absl::MakeSpan(buffer.data(), buffer.size()));
    EXPECT_TRUE(n.ok()) << n.status();
    return buffer.substr(0, n.value_or(0));
  }
  // Asks again until the number of speech requests in progress is `open`.
  bool WaitForOpen(int open) const {
    const Clock::time_point end = Clock::now() + std::chrono::seconds(10);
    while (Clock::now() < end) {
      if (absl::StrContains(State(), absl::StrCat("\"open\": ", open, "}"))) return true;
    }
    return false;
  }

  LyingServer server_;
};

TEST_F(LyingVoice, HonestServersAreHeardWhole) {
  struct Case {
    const char* voice;
    const char* api;
    Marks marks;
  };
  for (const Case& test :
       {Case{"plain", "openai", Marks::kNone}, Case{"pcm", "openai", Marks::kNone},
        Case{"slow", "openai", Marks::kNone}, Case{"header-first", "openai", Marks::kNone},
        Case{"sse-phonemes", "openai", Marks::kPhonemes},
        Case{"sse-words", "openai", Marks::kWords}, Case{"sse-visemes", "openai", Marks::kPhonemes},
        Case{"done-and-open", "openai", Marks::kPhonemes},
        Case{"captioned", "kokoro-fastapi", Marks::kWords},
        Case{"elevenlabs", "elevenlabs", Marks::kWords}}) {
    VoiceServer settings = Settings();
    settings.api = test.api;
    settings.timeouts.stall_s = 1.5;
    const Spoken spoken = Speak(settings, test.voice);
    EXPECT_TRUE(spoken.status.ok()) << test.voice << ": " << spoken.status;
    EXPECT_EQ(spoken.rate_hz, 24000) << test.voice;
    EXPECT_NEAR(static_cast<double>(spoken.samples) / 24000, kText_s, 0.01) << test.voice;
    EXPECT_GT(spoken.loudest, 8000) << test.voice;
    EXPECT_EQ(spoken.phonemes.empty(), test.marks != Marks::kPhonemes) << test.voice;
    EXPECT_EQ(spoken.words.size(), test.marks == Marks::kNone ? 0u : 6u) << test.voice;
    EXPECT_NEAR(spoken.marks_until_s, test.marks == Marks::kNone ? 0 : kText_s, 0.01) << test.voice;
    EXPECT_THAT(spoken.notes, IsEmpty()) << test.voice;
  }
}

TEST_F(LyingVoice, WordsAndPhonemesAreWhereTheServerPutsThem) {
  const Spoken spoken = Speak(Settings(), "sse-phonemes");
  ASSERT_EQ(spoken.words.size(), 6u);
  EXPECT_EQ(spoken.words[1].text, "bob");
  EXPECT_NEAR(spoken.words[1].start_s, 6.0 / 15, 1e-3);
  EXPECT_NEAR(spoken.words[1].beat_s, 7.5 / 15, 1e-3);
  EXPECT_TRUE(spoken.words[1].accented);
  EXPECT_EQ(spoken.words[5].text, "map");
  EXPECT_EQ(spoken.phonemes[0].phone, "m");
  for (size_t i = 1; i < spoken.phonemes.size(); ++i) {
    EXPECT_EQ(spoken.phonemes[i].start_s, spoken.phonemes[i - 1].end_s) << i;
  }
}

TEST_F(LyingVoice, AServerThatListsMarksIsAskedForThem) {
  const LyingServer lists({"--marks", "word,phoneme"});
  VoiceServer settings = Settings();
  settings.url = lists.url() + "/v1/";
  settings.marks = AskForMarks::kIfListed;
  EXPECT_FALSE(Speak(settings, "plain").phonemes.empty());
  settings.marks = AskForMarks::kNever;
  EXPECT_TRUE(Speak(settings, "plain").phonemes.empty());
  settings.url = server_.url();
  settings.marks = AskForMarks::kIfListed;
  EXPECT_TRUE(Speak(settings, "plain").phonemes.empty());
  settings.marks = AskForMarks::kAlways;
  EXPECT_FALSE(Speak(settings, "plain").phonemes.empty());
}

TEST_F(LyingVoice, SpeedAndFormatReachTheServer) {
  VoiceServer settings = Settings();
  settings.format = "pcm";
  const auto voice = Make(settings, "sse-phonemes");
  const Spoken spoken = ReadAll(**voice->Begin({.text = kText, .speed = 2}));
  EXPECT_TRUE(spoken.status.ok()) << spoken.status;
  EXPECT_NEAR(static_cast<double>(spoken.samples) / 24000, kText_s / 2, 0.01);
}

TEST_F(LyingVoice, OddWavsAreHeardAllTheSame) {
  for (const auto& [voice, rate] :
       {std::pair("wrong-length", 24000), std::pair("stereo", 24000), std::pair("48k", 48000),
        std::pair("float-nan", 24000), std::pair("odd-bytes", 24000)}) {
    const Spoken spoken = Speak(Settings(), voice);
    EXPECT_TRUE(spoken.status.ok()) << voice << ": " << spoken.status;
    EXPECT_EQ(spoken.rate_hz, rate) << voice;
    EXPECT_NEAR(static_cast<double>(spoken.samples) / rate, kText_s, 0.01) << voice;
    EXPECT_GT(spoken.loudest, 8000) << voice;
    EXPECT_EQ(spoken.notes.size(), voice == std::string("float-nan") ? 1u : 0u) << voice;
  }
}

TEST_F(LyingVoice, EachTextMayHaveARateOfItsOwn) {
  const auto voice = Make(Settings(), "rate-changes");
  EXPECT_EQ(ReadAll(**voice->Begin({.text = kText})).rate_hz, 24000);
  EXPECT_EQ(ReadAll(**voice->Begin({.text = kText})).rate_hz, 16000);
}

TEST_F(LyingVoice, BadMarksAreDroppedWithANoteAndTheSoundStays) {
  for (const auto& [voice, why] :
       {std::pair("marks-negative", "before the sound"), std::pair("marks-past-end", "go on to"),
        std::pair("marks-nan", "nan"), std::pair("marks-1e6", "to 1e+06 s"),
        std::pair("marks-sparse", "of voice"), std::pair("marks-many", "more than 10000")}) {
    const Spoken spoken = Speak(Settings(), voice);
    EXPECT_TRUE(spoken.status.ok()) << voice << ": " << spoken.status;
    EXPECT_NEAR(static_cast<double>(spoken.samples) / 24000, kText_s, 0.01) << voice;
    EXPECT_EQ(spoken.marks_until_s, 0) << voice;
    EXPECT_THAT(spoken.phonemes, IsEmpty()) << voice;
    EXPECT_THAT(spoken.words, IsEmpty()) << voice;
    EXPECT_THAT(spoken.notes, ElementsAre(HasSubstr(why)));
  }
  const Spoken unsorted = Speak(Settings(), "marks-unsorted");
  EXPECT_THAT(unsorted.notes, IsEmpty());
  EXPECT_EQ(unsorted.phonemes.size(), Speak(Settings(), "sse-phonemes").phonemes.size());
}

TEST_F(LyingVoice, FailuresSayWhatHappened) {
  using Code = absl::StatusCode;
  struct Case {
    const char* voice;
    Code code;
    const char* message;
  };
  const Case cases[] = {
      {"refuse", Code::kUnavailable, "the server closed the connection without an answer"},
      {"cut", Code::kUnavailable, "before the end of its answer"},
      {"401", Code::kUnauthenticated, "401 \"Incorrect API key provided: Bearer ***.\\nxxx"},
      {"429", Code::kResourceExhausted, "429 \"slow down\", to be tried again after \"30\""},
      {"500", Code::kUnavailable, "500 \"the model fell over\""},
      {"no-such", Code::kInvalidArgument, "400 \"no voice no-such\""},
      {"stall-before", Code::kDeadlineExceeded, "the answer did not begin within 0.5 s"},
      {"stall-midway", Code::kDeadlineExceeded, "the answer stalled for 0.5 s"},
      {"redirect", Code::kFailedPrecondition, "redirects (302) to \"/elsewhere\""},
      {"html", Code::kDataLoss, "the answer is \"text/html\", and wav was asked for"},
      {"mp3", Code::kDataLoss, "the answer is \"audio/mpeg\", and wav was asked for"},
      {"mp3-as-wav", Code::kDataLoss, "it is MP3"},
      {"endless", Code::kDataLoss, "it has more than 36.7"},
      {"empty", Code::kDataLoss, "it has no sound"},
      {"rate-changes-within", Code::kDataLoss, "its rate changes from 24000 to 16000 Hz"},
      {"broken-base64", Code::kDataLoss, "its sound is broken base64 (\"*UklGR"},
      {"broken-json", Code::kDataLoss, "its JSON is broken at byte 8"},
      {"event-error", Code::kUnavailable, "reports an error: \"the model fell over\""},
      {"long-line", Code::kDataLoss, "longer than 1048576 bytes"},
  };
  for (const Case& test : cases) {
    VoiceServer settings = Settings();
    settings.timeouts = {.connect_s = 2, .first_byte_s = 5, .stall_s = 3, .clause_s = 30};
    if (absl::StartsWith(test.voice, "stall")) {
      settings.timeouts.first_byte_s = settings.timeouts.stall_s = 0.5;
    }
    const Spoken spoken = Speak(settings, test.voice);
    EXPECT_EQ(spoken.status.code(), test.code) << test.voice << ": " << spoken.status;
    EXPECT_THAT(std::string(spoken.status.message()),
                AllOf(HasSubstr(test.message), HasSubstr(server_.url() + "/v1/audio/speech: ")))
        << test.voice;
    EXPECT_LT(spoken.status.message().size(), 500u) << test.voice;
  }
}

TEST_F(LyingVoice, OneByteASecondEndsWithTheClause) {
  VoiceServer settings = Settings();
  settings.timeouts.clause_s = 1.5;
  const Spoken spoken = Speak(settings, "byte-a-second");
  EXPECT_EQ(spoken.status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(spoken.status.message()), HasSubstr("not complete within 1.5 s"));
}

TEST_F(LyingVoice, ARequestIsSentOnceMoreBeforeAnySound) {
  for (const char* voice : {"reset-once", "429-once", "503-once"}) {
    const Spoken spoken = Speak(Settings(), voice);
    EXPECT_TRUE(spoken.status.ok()) << voice << ": " << spoken.status;
    EXPECT_THAT(State(), HasSubstr(absl::StrCat("\"", voice, "\": 2")));
  }
  // Not twice, not for a long wait, not after sound, and not where it makes no sense.
  for (const auto& [voice, requests] :
       {std::pair("refuse", 2), std::pair("429", 1), std::pair("cut", 1), std::pair("401", 1),
        std::pair("mp3-as-wav", 1), std::pair("429-second", 2)}) {
    EXPECT_FALSE(Speak(Settings(), voice).status.ok()) << voice;
    EXPECT_THAT(State(), HasSubstr(absl::StrCat("\"", voice, "\": ", requests)));
  }
}

TEST_F(LyingVoice, CancelReturnsAtOnceAndClosesTheConnection) {
  double slowest_s = 0;
  for (const char* voice :
       {"stall-before", "stall-midway", "byte-a-second", "slow", "endless", "429-second"}) {
    const auto speaker = Make(Settings(), voice);
    auto run = *speaker->Begin({.text = kText + std::string(1000, 'a')});
    std::future<std::pair<absl::Status, Clock::time_point>> reading =
        std::async(std::launch::async, [&] {
          const absl::Status status = ReadAll(*run).status;
          return std::pair(status, Clock::now());
        });
    const bool waits = voice == std::string("429-second");
    const std::string asked_once = absl::StrCat("\"", voice, "\": 1");
    while (waits && !absl::StrContains(State(), asked_once)) {
    }
    ASSERT_TRUE(WaitForOpen(waits ? 0 : 1)) << voice;
    const Clock::time_point asked = Clock::now();
    run->Cancel();
    const auto [status, ended] = reading.get();
    const double took_s = std::chrono::duration<double>(ended - asked).count();
    slowest_s = std::max(slowest_s, took_s);
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << voice << ": " << status;
    EXPECT_LT(took_s, 0.1) << voice;
    EXPECT_TRUE(WaitForOpen(0)) << voice;
    SpeechPart part;
    EXPECT_EQ(run->Read(part).status().code(), absl::StatusCode::kCancelled) << voice;
  }
  std::printf("slowest cancel: %.1f ms\n", slowest_s * 1000);
}

TEST_F(LyingVoice, DestroyingARunClosesItsConnection) {
  const auto voice = Make(Settings(), "stall-midway");
  auto run = *voice->Begin({.text = kText});
  SpeechPart part;
  ASSERT_TRUE(run->Read(part).ok());
  ASSERT_TRUE(WaitForOpen(1));
  run.reset();
  EXPECT_TRUE(WaitForOpen(0));
}

TEST_F(LyingVoice, LeavesNoDescriptorOpen) {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = count();
  for (int i = 0; i < 5; ++i) {
    for (const char* voice : {"plain", "cut", "refuse", "html", "endless", "401", "sse-phonemes"}) {
      (void)Speak(Settings(), voice);
    }
  }
  EXPECT_EQ(count(), before);
}

TEST_F(LyingVoice, ARejectedConnectionSaysSo) {
  VoiceServer settings = Settings();
  { settings.url = LyingServer().url(); }
  const Spoken spoken = Speak(settings, "plain");
  EXPECT_EQ(spoken.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(spoken.status.message()), HasSubstr("the connection was refused"));
}

TEST_F(LyingVoice, TlsNeedsAnAuthorityThatIsTrusted) {
  const std::string folder = testing::TempDir() + "lying_voice_tls";
  std::filesystem::create_directories(folder);
  const LyingServer secure({"--tls", folder});
  VoiceServer settings = Settings();
  settings.url = secure.url();
  const Spoken unknown = Speak(settings, "plain");
  EXPECT_EQ(unknown.status.code(), absl::StatusCode::kFailedPrecondition) << unknown.status;
  EXPECT_THAT(std::string(unknown.status.message()),
              AllOf(HasSubstr("certificate is not trusted"), HasSubstr("CA file")));
  settings.ca_file = secure.ca_file();
  const Spoken known = Speak(settings, "plain");
  EXPECT_TRUE(known.status.ok()) << known.status;
  std::filesystem::remove_all(folder);
}

TEST_F(LyingVoice, VoicesAreListed) {
  const auto voices = ListVoices(Settings());
  ASSERT_TRUE(voices.ok()) << voices.status();
  EXPECT_GT(voices->size(), 40u);
  const auto found = std::find_if(voices->begin(), voices->end(),
                                  [](const ListedVoice& v) { return v.name == "sse-phonemes"; });
  ASSERT_NE(found, voices->end());
  EXPECT_THAT(found->languages, ElementsAre("en-US"));
  EXPECT_EQ(found->marks, Marks::kPhonemes);
  VoiceServer eleven = Settings();
  eleven.api = "elevenlabs";
  const auto others = ListVoices(eleven);
  ASSERT_TRUE(others.ok()) << others.status();
  EXPECT_EQ(others->at(0).name, "elevenlabs");
  EXPECT_EQ(others->at(0).marks, Marks::kWords);
}

}  // namespace
}  // namespace posewire::voice_http
