// What a voice server answers: WAV and PCM, server-sent events, Kokoro-FastAPI's and ElevenLabs'
// objects, lists of voices and errors. A libFuzzer target in the fuzz preset; elsewhere its corpus
// is replayed as a test.
//
// An input is one byte that chooses the form, one with the size of the pieces, then the answer.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/speech/voice.h"
#include "libs/voice_http/answer_readers.h"
#include "libs/voice_http/mark_check.h"
#include "libs/voice_http/server_json.h"
#include "libs/voice_http/server_status.h"
#include "tests/fuzz/input.h"

namespace posewire::voice_http {
namespace {

using speech::SpeechPart;

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

std::unique_ptr<AnswerReader> MakeReader(size_t kind) {
  const SoundForm form{kind % 2 == 1, 16000};
  switch (kind / 2) {
    case 0:
      return MakeSoundReader(form);
    case 1:
      return MakeEventReader(form, "key");
    case 2:
      return MakeCaptionedReader(form, "key");
    default:
      return MakeAlignedReader(form, "key");
  }
}

struct Answer {
  absl::Status status;
  Heard heard;
  int rate_hz = 0;
};

Answer Read(size_t kind, absl::string_view bytes, size_t step) {
  const std::unique_ptr<AnswerReader> reader = MakeReader(kind);
  Answer out;
  while (!bytes.empty() && out.status.ok()) {
    const absl::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    out.status = reader->Add(piece, out.heard);
  }
  if (out.status.ok()) out.status = reader->Finish(out.heard);
  out.rate_hz = reader->rate_hz();
  return out;
}

void CheckSame(const Answer& a, const Answer& b) {
  if (a.status.code() != b.status.code()) Fail("a split changes the status");
  // After an error, how much came before it depends on the pieces.
  if (!a.status.ok()) return;
  if (a.rate_hz != b.rate_hz) Fail("a split changes the rate");
  if (a.heard.samples != b.heard.samples) Fail("a split changes the samples");
  if (a.heard.marks.size() != b.heard.marks.size()) Fail("a split changes the marks");
}

// Marks that are passed on are in order and within the longest sound.
void CheckMarks(const Answer& answer) {
  constexpr double kMost_s = 60;
  MarkCheck check(kMost_s);
  SpeechPart part;
  part.rate_hz = answer.rate_hz;
  part.samples = answer.heard.samples;
  check.Take(answer.heard.marks, part);
  check.Finish(part);
  if (part.notes.size() > 1) Fail("more than one note");
  if (check.dropped() &&
      (part.marks_until_s != 0 || !part.phonemes.empty() || !part.words.empty())) {
    Fail("marks that were dropped");
  }
  double last_s = 0;
  for (const auto& p : part.phonemes) {
    if (!(p.start_s == last_s && p.end_s > p.start_s && p.end_s <= kMost_s)) Fail("phonemes");
    last_s = p.end_s;
  }
  last_s = 0;
  for (const auto& w : part.words) {
    if (!(w.start_s >= last_s && w.end_s >= w.start_s && w.end_s <= kMost_s)) Fail("words");
    if (!(w.beat_s >= w.start_s && w.beat_s <= w.end_s)) Fail("the beat of a word");
    last_s = w.start_s;
  }
}

void ReadTexts(const std::string& text) {
  if (QuoteServer(ReadErrorMessage(text), "key").size() > 802) Fail("a long quotation");
  (void)ReadVoiceList(text);
  (void)ReadModelMarks(text, "tts-1");
}

}  // namespace
}  // namespace posewire::voice_http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace voice_http = posewire::voice_http;
  posewire::FuzzInput in(data, size);
  const size_t kind = in.Choose(9);
  const size_t step = 1 + in.Byte();
  const std::string bytes = in.Rest();
  if (kind == 8) {
    voice_http::ReadTexts(bytes);
    return 0;
  }
  const voice_http::Answer whole = voice_http::Read(kind, bytes, bytes.size() + 1);
  voice_http::CheckSame(whole, voice_http::Read(kind, bytes, step));
  if (whole.status.ok()) voice_http::CheckMarks(whole);
  return 0;
}
