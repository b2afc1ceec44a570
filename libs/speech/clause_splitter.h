// Splits text into the pieces that a voice gets one at a time: sentences, and parts of long ones.
//
// The text may arrive in parts, as language models write it. The splitter processes it character by
// character, so the result does not depend on how the text is divided into calls. A piece is ready
// one character after the end of its sentence, because that character shows whether it was the end
// ("3.5", "Dr. Smith", "Wait...what").
#ifndef POSEWIRE_LIBS_SPEECH_CLAUSE_SPLITTER_H_
#define POSEWIRE_LIBS_SPEECH_CLAUSE_SPLITTER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/speech/sentence_rules.h"
#include "libs/speech/speech_text.h"

namespace posewire::speech {

// Lengths are in letters. An ideograph or a kana counts as three and a Korean syllable as two,
// because they take that long to say.
struct ClauseLimits {
  // Maximum length of pieces that start within the first `first` letters, so that the first one is
  // spoken soon. Later ones have at most `most`. Both at least 60.
  size_t first = 90, most = 300;
  // Ends the first piece at a comma after its second to fourth word.
  bool short_start = false;
  // A piece is at most this many times as long as the one before it, which gives the voice the time
  // to make it; up to 36 letters are always allowed. 0: no limit.
  double growth = 0;
  size_t words = 0;  // maximum per piece; 0: no limit
};

// For voices that need about half as long to make a piece as it plays.
inline constexpr ClauseLimits kSlowVoiceLimits = {90, 160, true, 1.5, 14};

// Keeps at most one piece and the word after it. One thread.
class ClauseSplitter {
 public:
  // `language` is BCP 47. If empty, or without rules of its own, English rules apply.
  explicit ClauseSplitter(absl::string_view language, const ClauseLimits& limits = {});

  // Takes more of a text that TextCleaner has cleaned and returns the pieces that are ready. Drops
  // pieces without a letter or digit, and bytes that are not UTF-8. Anchors of the cleaner keep
  // their positions; those of dropped text move to the next piece.
  std::vector<TextPiece> Add(absl::string_view text);
  // The text has ended or pauses: returns the rest. The next piece counts as a first one again.
  std::vector<TextPiece> Flush();
  // Returns the beginning of an incomplete sentence, cut at the best place so far. Call when
  // nothing else is left to say. Returns nothing if that is fewer than kLeastWords words.
  std::vector<TextPiece> Hurry();
  static constexpr size_t kLeastWords = 4;

 private:
  void Process(bool end);
  // Returns the bytes of `rest` consumed; 0 if it needs more text to decide.
  size_t TakeNext(absl::string_view rest, bool end);
  size_t TakeSpace(absl::string_view rest, bool end);
  size_t TakeEndMarks(absl::string_view rest, bool end);

  void Append(char32_t c);
  size_t Most() const;
  void CutStart();
  void CutLong(size_t spare_letters, size_t spare_words);
  void EndPiece(size_t bytes, SpeechEnding ending, bool paragraph);
  void EndSentence(SpeechEnding ending, bool paragraph);

  std::string language_;
  ClauseLimits limits_;
  std::string pending_;             // not decided yet
  std::string sentence_;            // of the next piece, on one line
  size_t letters_ = 0, words_ = 0;  // of sentence_
  size_t said_ = 0;                 // letters of earlier pieces
  size_t last_letters_ = 0;         // of the last piece
  std::vector<TextPiece> pieces_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_CLAUSE_SPLITTER_H_
