// Cuts text into the pieces that a voice gets one at a time: sentences, and parts of long ones.
//
// The text may come bit by bit, as language models write it. The splitter moves through it by
// characters and decides by what it has seen, so that it does not matter how the text is cut into
// calls. A piece is ready one character after the end of its sentence, since that character says
// whether it was the end ("3.5", "Dr. Smith", "Wait...what").
#ifndef POSEWIRE_LIBS_SPEECH_CLAUSE_SPLITTER_H_
#define POSEWIRE_LIBS_SPEECH_CLAUSE_SPLITTER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/speech/sentence_rules.h"
#include "libs/speech/speech_text.h"

namespace posewire::speech {

// Lengths are in letters; an ideograph or a kana counts as three and a syllable of Korean as two,
// since they take so long to say.
struct ClauseLimits {
  // Pieces that start within the first so many letters are at most so long, so that the first one
  // is spoken soon; later ones at most `most`. Both at least 60.
  size_t first = 90, most = 300;
  // Ends the first piece at a comma after its second to fourth word.
  bool short_start = false;
  // A piece is at most so many times as long as the one before it, which gives the voice the time
  // to make it; any may have 36 letters. 0: no such rule.
  double growth = 0;
  size_t words = 0;  // of a piece, at most; 0: any number
};

// For voices that need about half as long to make a piece as to say it.
inline constexpr ClauseLimits kSlowVoiceLimits = {90, 160, true, 1.5, 14};

// One thread. Keeps at most one piece and the word after it.
class ClauseSplitter {
 public:
  // `language` is BCP 47; empty, and any without rules of its own, has those of English.
  explicit ClauseSplitter(absl::string_view language, const ClauseLimits& limits = {});

  // Takes more of a text that TextCleaner has cleaned and returns the pieces that are ready. Pieces
  // without a letter or digit are left out, as are bytes that are not UTF-8. Anchors of the cleaner
  // keep their places; those of what is left out go to the next piece.
  std::vector<TextPiece> Add(absl::string_view text);
  // The text is over, or pauses: returns the rest. The next piece is a first one again.
  std::vector<TextPiece> Flush();
  // Returns the beginning of an incomplete sentence, cut at the best place so far, for when nothing
  // else is left to say. Returns nothing if that is fewer than kLeastWords words.
  std::vector<TextPiece> Hurry();
  static constexpr size_t kLeastWords = 4;

 private:
  void Process(bool end);
  // Bytes of `rest` consumed; 0 when it takes more text to decide.
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
  std::string pending_;             // not decided
  std::string sentence_;            // of the next piece, on one line
  size_t letters_ = 0, words_ = 0;  // of sentence_
  size_t said_ = 0;                 // letters of the pieces before
  size_t last_letters_ = 0;         // of the last piece
  std::vector<TextPiece> pieces_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_CLAUSE_SPLITTER_H_
