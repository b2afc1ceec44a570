// Turns the run of one clause into pieces to play, with adjusted pauses, at one sample rate.
//
// A clause with times of phonemes or words becomes one piece. Any other is passed on as it arrives,
// so that the voice of a streaming server is heard early.
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

// A clause, or a part of one.
struct SpokenPiece {
  SpeechPiece speech;  // times are relative to its own first sample
  bool begins_clause = true;
  bool ends_clause = true;
  bool cut = false;   // it ends before the end of its text
  double tail_s = 0;  // silence at its end, if that ends the clause
  // Of the clause; set only in the piece that begins it.
  std::string text;
  SpeechEnding ending = SpeechEnding::kStatement;
  bool begins_paragraph = false;  // not the first one
  std::vector<PlacedMark> marks = {};
  bool begins_item = false;  // set by SpeechQueue: the first piece of a SayItem
};

// Silence around a clause: the maximum that is kept before and after it, and the amount added.
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

  // All pieces have `rate_hz`; 0: the rate of the voice.
  ClauseReader(const TextPiece& text, const ClausePauses& pauses, int rate_hz, Give give);

  void Add(const SpeechPart& part);
  // The run has ended: completely, or, with `cut`, the rest failed.
  void Finish(bool cut = false);

  int rate_hz() const { return rate_hz_; }  // 0 until there is audio
  double given_s() const;                   // duration of the audio so far

 private:
  void GiveStretch(bool last, bool cut = false);

  const TextPiece& text_;
  const ClausePauses pauses_;
  int rate_hz_;
  const Give give_;
  std::optional<RateChange> change_;
  std::optional<SoundTrimmer> trimmer_;  // for a clause without times
  SpeechPiece whole_;                    // received but not passed on; all words and phonemes
  size_t given_ = 0;                     // in samples
  bool began_ = false;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_CLAUSE_READER_H_
