// From what people type to what a voice can read: plain ASCII, sentence by sentence.
#ifndef POSEWIRE_LIBS_SPEECH_SPEECH_TEXT_H_
#define POSEWIRE_LIBS_SPEECH_SPEECH_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::speech {

inline constexpr size_t kMaxSpeechTextBytes = size_t{64} * 1024;

struct SpokenText {
  std::string text;                // printable ASCII and '\n'
  std::vector<std::string> notes;  // what was left out
};

// Typographic signs become ASCII, accented Latin letters lose their accents, some signs become
// words; other characters (emoji, other scripts, control characters) are left out, with a note.
// Words longer than 50 characters are cut. INVALID_ARGUMENT for text that is longer than
// kMaxSpeechTextBytes, is not UTF-8 (with the byte), or holds no letter and no digit that can be
// spoken.
absl::StatusOr<SpokenText> CleanSpeechText(absl::string_view utf8);

// How a piece of text ends.
enum class SpeechEnding { kCut, kClause, kStatement, kQuestion, kExclamation };

inline bool EndsSentence(SpeechEnding ending) { return ending >= SpeechEnding::kStatement; }

struct TextPiece {
  std::string text;  // one line
  SpeechEnding ending = SpeechEnding::kStatement;
  bool ends_paragraph = false;
};

// Cuts clean text into sentences, and long sentences at clauses or, if need be, between words.
// Pieces that start within the first `first_limit` characters are at most so long, so that the
// first one is spoken soon; later ones at most `limit`. Both at least 60. Pieces without a letter
// or digit are left out.
std::vector<TextPiece> SplitSpeechText(absl::string_view text, size_t first_limit = 90,
                                       size_t limit = 300);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SPEECH_TEXT_H_
