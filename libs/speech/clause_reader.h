// Makes pieces to play from the run of one clause: pauses fitted, at one rate.
//
// A clause that comes with times of phonemes or words is one piece. Any other is given on while it
// comes, so that a server that streams is heard early.
#ifndef POSEWIRE_LIBS_SPEECH_CLAUSE_READER_H_
#define POSEWIRE_LIBS_SPEECH_CLAUSE_READER_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libs/speech/rate_change.h"
#include "libs/speech/sound_trimmer.h"
#include "libs/speech/speech_text.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// A clause, or a stretch of one.
struct SpokenPiece {
  SpeechPiece speech;  // its times from its own first sample
  bool begins_clause = true;
  bool ends_clause = true;
  bool cut = false;   // it ends before its text does
  double tail_s = 0;  // of silence at its end, where that ends the clause
  // Of the clause; only where it begins.
  std::string text;
  SpeechEnding ending = SpeechEnding::kStatement;
  bool begins_paragraph = false;  // not the first one
  std::vector<PlacedMark> marks = {};
  bool begins_item = false;  // set by SpeechQueue: the first one of a SayItem
};

// Silence around a clause: the most that stays before and after it, and what is added.
struct ClausePauses {
  double lead_s = 0;
  double tail_s = 0;
  double added_s = 0;
};

// Shortens the silence before the first and after the last phoneme to at most these lengths.
void TrimSilence(double lead_s, double tail_s, SpeechPiece& piece);

// One thread.
class ClauseReader {
 public:
  using Give = std::function<void(SpokenPiece)>;

  // Everything is given at `rate_hz`; 0: at the rate in which it comes.
  ClauseReader(const TextPiece& text, const ClausePauses& pauses, int rate_hz, Give give);

  void Add(const SpeechPart& part);
  // No more comes: that was all, or, with `cut`, the rest failed.
  void Finish(bool cut = false);

  int rate_hz() const { return rate_hz_; }  // 0 until sound came
  double given_s() const;                   // sound so far

 private:
  void GiveStretch(bool last, bool cut = false);

  const TextPiece& text_;
  const ClausePauses pauses_;
  int rate_hz_;
  const Give give_;
  std::optional<RateChange> change_;
  std::optional<SoundTrimmer> trimmer_;  // of a clause without times
  SpeechPiece whole_;                    // what came and was not given; all words and phonemes
  size_t given_ = 0;                     // samples
  bool began_ = false;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_CLAUSE_READER_H_
