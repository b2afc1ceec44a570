#include "libs/voice_http/answer_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/voice_http/server_json.h"
#include "tests/unit/voice_http/wav_bytes.h"

namespace posewire::voice_http {
namespace {

using speech::Marks;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Answer {
  absl::Status status;
  Heard heard;
  int rate_hz = 0;
};

Answer ReadAnswer(std::unique_ptr<AnswerReader> reader, absl::string_view bytes, size_t step) {
  Answer out;
  for (; !bytes.empty() && out.status.ok(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    out.status = reader->Add(bytes.substr(0, step), out.heard);
  }
  if (out.status.ok()) out.status = reader->Finish(out.heard);
  out.rate_hz = reader->rate_hz();
  return out;
}

std::string Base64(absl::string_view bytes) { return absl::Base64Escape(bytes); }
std::string Event(absl::string_view json) { return absl::StrCat("data: ", json, "\n\n"); }
std::string Delta(absl::string_view bytes) {
  return Event("{\"type\":\"speech.audio.delta\",\"audio\":\"" + Base64(bytes) + "\"}");
}
const char kDone[] = "data: {\"type\":\"speech.audio.done\",\"usage\":{}}\n\n";

std::vector<std::string> Texts(const Heard& heard) {
  std::vector<std::string> out;
  for (const MarkBatch& batch : heard.marks) {
    for (const RawWord& w : batch.words) {
      out.push_back(absl::StrCat(w.text, " ", w.start_s, " ", w.end_s));
    }
    for (const RawPhoneme& p : batch.phonemes) {
      out.push_back(absl::StrCat(p.phone, p.stressed ? "!" : "", " ", p.start_s, " ", p.end_s));
    }
  }
  return out;
}

TEST(EventReader, ReadsSoundAndMarksInAnySplit) {
  const std::string wav = WavHeader({}) + std::string("\x01\x00\x02\x00\x03", 5);
  const std::string answer = absl::StrCat(
      Event("{\"type\":\"speech.audio.marks\",\"start\":0,\"end\":0.5,\"words\":[{\"text\":\"May\","
            "\"start\":0.1,\"end\":0.2}],\"phonemes\":[{\"ph\":\"m\",\"start\":0.1,\"end\":0.15},"
            "{\"ph\":\"eɪ\",\"start\":0.15,\"end\":0.2,\"stress\":1}]}"),
      Delta(wav), Event("{\"type\":\"something.new\"}"), Delta(absl::string_view("\x00\x04", 2)),
      kDone);
  for (const size_t step : std::initializer_list<size_t>{1, 3, 64, 100000}) {
    const Answer read = ReadAnswer(MakeEventReader({}, ""), answer, step);
    ASSERT_TRUE(read.status.ok()) << read.status;
    EXPECT_THAT(read.heard.samples, ElementsAre(1, 2, 3));
    EXPECT_EQ(read.rate_hz, 24000);
    EXPECT_THAT(Texts(read.heard), ElementsAre("May 0.1 0.2", "m 0.1 0.15", "eɪ! 0.15 0.2"));
    EXPECT_EQ(read.heard.marks[0].end_s, 0.5);
    EXPECT_TRUE(read.heard.notes.empty());
  }
}

TEST(EventReader, AcceptsBarePcmAndEachDeltaAsAWav) {
  EXPECT_THAT(ReadAnswer(MakeEventReader({true, 16000}, ""), Delta("\x01\x01\x02\x02") + kDone, 9)
                  .heard.samples,
              ElementsAre(0x101, 0x202));
  const std::string one = WavHeader({}) + "\x01\x01", two = WavHeader({}) + "\x02\x02";
  EXPECT_THAT(ReadAnswer(MakeEventReader({}, ""), Delta(one) + Delta(two) + kDone, 9).heard.samples,
              ElementsAre(0x101, 0x202));
}

TEST(EventReader, GivesVisemesWithoutAnEndTheNextOnesStart) {
  const Answer read = ReadAnswer(
      MakeEventReader({true, 16000}, ""),
      Event(
          "{\"type\":\"speech.audio.marks\",\"end\":1,\"phonemes\":[{\"viseme\":21,\"start\":0.1},"
          "{\"viseme\":0,\"start\":0.3}]}") +
          Delta("abcd") + kDone,
      1000);
  EXPECT_THAT(Texts(read.heard), ElementsAre("viseme:21 0.1 0.3", "viseme:0 0.3 1"));
}

TEST(EventReader, KeepsTimesThatAreNoNumbersAsNaN) {
  const auto event = ReadSpeechEvent(
      "{\"type\":\"speech.audio.marks\",\"end\":null,\"words\":[{\"text\":1,\"start\":\"0\","
      "\"end\":NaN}]}");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_TRUE(std::isnan(event->marks.words[0].start_s));
  EXPECT_TRUE(std::isnan(event->marks.words[0].end_s));
  EXPECT_TRUE(std::isnan(*event->marks.end_s));
}

TEST(EventReader, NotesAnAnswerThatDoesNotEnd) {
  const Answer read = ReadAnswer(MakeEventReader({true, 16000}, ""), Delta("abcd"), 1000);
  EXPECT_TRUE(read.status.ok());
  EXPECT_THAT(read.heard.notes, ElementsAre(HasSubstr("without the event speech.audio.done")));
}

TEST(EventReader, ReportsBrokenEvents) {
  const auto fault = [](const std::string& answer) {
    return ReadAnswer(MakeEventReader({}, "sk-1"), answer, 100).status;
  };
  EXPECT_THAT(fault(Event("{\"type\":\"speech.audio.delta\",\"audio\":\"*\"}")).message(),
              HasSubstr("broken base64"));
  EXPECT_THAT(fault(Event("{\"type\":")).message(), HasSubstr("its JSON is broken at byte"));
  EXPECT_THAT(fault(Event("[]")).message(), HasSubstr("not an object"));
  EXPECT_THAT(fault(Event(std::string(100000, '[') + "{")).message(), HasSubstr("broken"));
  EXPECT_THAT(fault(kDone).message(), HasSubstr("it has no sound"));
  EXPECT_THAT(
      fault(Delta(WavHeader({}) + "ab") + Delta(WavHeader({.rate = 16000}) + "ab")).message(),
      HasSubstr("changes from 24000 to 16000 Hz"));
  const absl::Status own = fault(Event("{\"error\":{\"message\":\"bad key sk-1\\n\"}}"));
  EXPECT_EQ(own.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(own.message(), "the server reports an error: \"bad key ***\"");
}

TEST(CaptionedReader, ReadsObjectsInAnySplit) {
  const std::string wav = WavHeader({}) + std::string("\x01\x00\x02\x00", 4);
  const std::string answer =
      absl::StrCat("{\"audio\":\"", Base64(wav),
                   "\",\"audio_format\":\"audio/wav\",\"timestamps\":[{\"word\":\"Hi\","
                   "\"start_time\":0,\"end_time\":0.3}]}\n{\"audio\":\"",
                   Base64("\x03\x01"), "\",\"timestamps\":null}");
  for (const size_t step : std::initializer_list<size_t>{1, 5, 100000}) {
    const Answer read = ReadAnswer(MakeCaptionedReader({}, ""), answer, step);
    ASSERT_TRUE(read.status.ok()) << read.status;
    EXPECT_THAT(read.heard.samples, ElementsAre(1, 2, 0x103));
    EXPECT_THAT(Texts(read.heard), ElementsAre("Hi 0 0.3"));
  }
  EXPECT_THAT(ReadAnswer(MakeCaptionedReader({}, ""),
                         "{\"detail\":[{\"msg\":\"no\"},{\"msg\":\"way\"}]}", 9)
                  .status.message(),
              HasSubstr("\"no; way\""));
}

TEST(AlignedReader, MakesWordsOfCharactersAcrossObjects) {
  const auto object = [](absl::string_view characters, absl::string_view starts,
                         absl::string_view ends) {
    return absl::StrCat("{\"audio_base64\":\"", Base64("abcd"),
                        "\",\"alignment\":{\"characters\":[", characters,
                        "],\"character_start_times_seconds\":[", starts,
                        "],\"character_end_times_seconds\":[", ends, "]}}\n");
  };
  const std::string answer = object("\"H\",\"i\",\" \",\"y\"", "0,1,2,3", "1,2,3,4") +
                             object("\"ö\",\"u\"", "4,5", "5,6") +
                             "{\"audio_base64\":\"\",\"alignment\":null}";
  for (const size_t step : std::initializer_list<size_t>{1, 1000}) {
    const Answer read = ReadAnswer(MakeAlignedReader({true, 24000}, ""), answer, step);
    ASSERT_TRUE(read.status.ok()) << read.status;
    EXPECT_THAT(Texts(read.heard), ElementsAre("Hi 0 2", "yöu 3 6"));
    EXPECT_EQ(read.heard.samples.size(), 4u);
  }
}

TEST(ServerJson, FindsTheMessageOfAnError) {
  EXPECT_EQ(ReadErrorMessage("{\"error\":{\"message\":\"a\"}}"), "a");
  EXPECT_EQ(ReadErrorMessage("{\"error\":\"b\"}"), "b");
  EXPECT_EQ(ReadErrorMessage("{\"detail\":\"c\"}"), "c");
  EXPECT_EQ(ReadErrorMessage("{\"detail\":{\"status\":\"x\",\"message\":\"d\"}}"), "d");
  EXPECT_EQ(ReadErrorMessage("plain"), "plain");
  EXPECT_EQ(ReadErrorMessage("{\"other\":1}"), "{\"other\":1}");
}

TEST(ServerJson, ReadsListsOfVoices) {
  const auto read = [](absl::string_view json) {
    std::vector<std::string> out;
    const auto voices = ReadVoiceList(json);
    EXPECT_TRUE(voices.ok()) << voices.status();
    for (const ListedVoice& v : *voices) {
      out.push_back(absl::StrCat(v.name, "|", absl::StrJoin(v.languages, ","), "|",
                                 static_cast<int>(v.marks)));
    }
    return out;
  };
  EXPECT_THAT(read("{\"voices\":[\"a\",\"b\"]}"), ElementsAre("a||0", "b||0"));
  EXPECT_THAT(read("{\"voices\":[{\"id\":\"a\",\"name\":\"A\",\"languages\":[\"en-US\",\"fr\"],"
                   "\"marks\":[\"word\",\"phoneme\"]},7,{}]}"),
              ElementsAre("a|en-US,fr|2"));
  EXPECT_THAT(
      read(
          "{\"voices\":[{\"voice_id\":\"x1\",\"name\":\"Eve\",\"labels\":{\"language\":\"de\"}}]}"),
      ElementsAre("x1|de|0"));
  EXPECT_THAT(read("{\"data\":[{\"id\":\"m\",\"voices\":[\"a\"]},{\"id\":\"n\"}]}"),
              ElementsAre("a||0"));
  EXPECT_THAT(read("{}"), ElementsAre());
  EXPECT_FALSE(ReadVoiceList("[]").ok());
}

TEST(ServerJson, ReadsTheMarksOfAModel) {
  const char json[] =
      "{\"data\":[{\"id\":\"a\",\"posewire\":{\"marks\":[\"word\"]}},{\"id\":\"b\",\"posewire\":"
      "{\"marks\":[\"phoneme\",\"word\"]}},{\"id\":\"c\"}]}";
  EXPECT_EQ(*ReadModelMarks(json, "a"), Marks::kWords);
  EXPECT_EQ(*ReadModelMarks(json, "b"), Marks::kPhonemes);
  EXPECT_EQ(*ReadModelMarks(json, "c"), Marks::kNone);
  EXPECT_EQ(*ReadModelMarks(json, ""), Marks::kPhonemes);
  EXPECT_EQ(*ReadModelMarks("{\"posewire\":{\"marks\":[\"word\"]}}", "z"), Marks::kWords);
}

}  // namespace
}  // namespace posewire::voice_http
