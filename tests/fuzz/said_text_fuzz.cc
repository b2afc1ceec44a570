// A text that is said while it is written: whatever it holds, how it is cut into parts changes
// nothing, and what is said stays within bounds. A libFuzzer target in the fuzz preset; elsewhere
// its corpus is replayed as a test.
//
// An input is one byte that says how long the parts are, then the text.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/speech/estimate_words.h"
#include "libs/speech/place_words.h"
#include "libs/speech/text_mark.h"
#include "libs/speech/text_stream.h"

namespace posewire::speech {
namespace {

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

std::vector<TextPiece> Read(absl::string_view text, size_t part) {
  TextStream stream;
  for (size_t at = 0; at < text.size(); at += part) stream.Write(text.substr(at, part));
  stream.End();
  std::vector<TextPiece> pieces;
  while (auto item = stream.Next()) pieces.push_back(std::move(item->piece));
  stream.TakeNotes();
  return pieces;
}

bool Same(const TextPiece& a, const TextPiece& b) {
  if (a.text != b.text || a.ending != b.ending || a.language != b.language ||
      a.pause_s != b.pause_s || a.marks.size() != b.marks.size()) {
    return false;
  }
  for (size_t i = 0; i < a.marks.size(); ++i) {
    if (a.marks[i].at != b.marks[i].at || a.marks[i].mark.name != b.marks[i].mark.name) {
      return false;
    }
  }
  return true;
}

void Check(const TextPiece& piece) {
  if (piece.text.find('\n') != std::string::npos) Fail("a piece of several lines");
  if (!(piece.pause_s >= 0)) Fail("a pause below 0");
  size_t last = 0;
  for (const PlacedMark& mark : piece.marks) {
    if (mark.at < last || mark.at > piece.text.size()) Fail("a mark out of place");
    last = mark.at;
    if (!TagOf(mark.mark).ok()) Fail("a mark that has no tag");
  }
  const std::vector<Word> said = EstimateWords(piece.text, "en", 0, 1);
  size_t end = 0;
  double time_s = 0;
  for (const PlacedWord& word : PlaceWords(piece.text, said)) {
    if (word.begin < end || word.end <= word.begin || word.end > piece.text.size()) {
      Fail("words that overlap");
    }
    if (word.start_s < time_s || !(word.end_s >= word.start_s) || word.end_s > 1 + 1e-9) {
      Fail("times that go back");
    }
    end = word.end;
    time_s = word.start_s;
  }
}

}  // namespace
}  // namespace posewire::speech

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace posewire::speech;  // NOLINT
  if (size == 0 || size > 16384) return 0;
  const absl::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<TextPiece> whole = Read(text, size);
  const std::vector<TextPiece> parts = Read(text, 1 + data[0] % 31);
  if (whole.size() != parts.size()) Fail("the cuts change the number of pieces");
  for (size_t i = 0; i < whole.size(); ++i) {
    if (!Same(whole[i], parts[i])) Fail("the cuts change a piece");
    Check(whole[i]);
  }
  return 0;
}
