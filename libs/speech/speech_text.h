// Prepares text for a voice: cleans it, and splits it into pieces that are spoken one after the
// other.
//
// A whole text goes through CleanSpeechText and SplitSpeechText; a text that comes bit by bit
// through what they are made of, TextCleaner and ClauseSplitter. Both ways give the same.
#ifndef POSEWIRE_LIBS_SPEECH_SPEECH_TEXT_H_
#define POSEWIRE_LIBS_SPEECH_SPEECH_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/speech/text_mark.h"

namespace posewire::speech {

inline constexpr size_t kMaxSpeechTextBytes = size_t{64} * 1024;

struct SpokenText {
  std::string text;                // UTF-8
  std::vector<std::string> notes;  // descriptions of dropped parts
};

// Returns the part of a text in any language that a voice can speak: see TextCleaner.
// INVALID_ARGUMENT for text that is longer than kMaxSpeechTextBytes, is not UTF-8 (with the byte),
// or has no letter or digit that can be spoken.
absl::StatusOr<SpokenText> CleanSpeechText(absl::string_view utf8);

// Returns the error for text whose byte `at` is not UTF-8.
absl::Status NotUtf8(absl::string_view utf8, size_t at);

// How a piece of text ends.
enum class SpeechEnding { kCut, kClause, kStatement, kQuestion, kExclamation };

inline bool EndsSentence(SpeechEnding ending) { return ending >= SpeechEnding::kStatement; }

struct TextPiece {
  std::string text;  // one line
  SpeechEnding ending = SpeechEnding::kStatement;
  bool ends_paragraph = false;
  std::vector<PlacedMark> marks = {};  // in order; never pauses or languages
  std::string language = {};           // BCP 47; empty: the language of the whole text
  double pause_s = 0;                  // silence after it, in addition to that of its ending
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SPEECH_TEXT_H_
