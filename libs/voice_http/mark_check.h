// Decides whether a server's marks are plausible, and converts them to those of a part.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_MARK_CHECK_H_
#define POSEWIRE_LIBS_VOICE_HTTP_MARK_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/speech/voice.h"
#include "libs/voice_http/heard.h"

namespace posewire::voice_http {

inline constexpr size_t kMostMarks = 10000;
// Neighbours may overlap by this much; the earlier one is then cut at the start of the later one.
inline constexpr double kMostOverlap_s = 0.05;
// Marks may exceed the end of the audio by this much, because servers trim the silence at its end.
inline constexpr double kMostBeyond_s = 0.25;

// Sorts each batch and fills the gaps between phonemes with "pau". Words become lower case (ASCII)
// without punctuation around them; their beat is the middle of their stressed vowel, or of their
// first vowel, or of the word. A word is accented if a vowel in it is stressed, or, without
// phonemes, if it has four letters or more.
//
// Drops all marks of the run, with one note, if there are more than kMostMarks, or one is NaN,
// negative, ends before it starts, overlaps its neighbour by more than kMostOverlap_s, or exceeds
// the end of the audio by more than kMostBeyond_s; and if they cover less than half of the voiced
// time (20 ms intervals louder than -40 dB of full scale). Coverage is known only as the audio
// arrives, so marks that were passed on already may be withdrawn (SpeechPart::marks_until_s).
//
// One run, one thread.
class MarkCheck {
 public:
  // `most_s`: maximum duration of the run's audio.
  explicit MarkCheck(double most_s) : most_s_(most_s) {}

  // Adds the marks that arrived with the samples in `part` to it.
  void Take(const std::vector<MarkBatch>& batches, speech::SpeechPart& part);
  // Call at the end of the audio, with the last part.
  void Finish(speech::SpeechPart& part);

  bool dropped() const { return dropped_; }

 private:
  void AddBatch(MarkBatch batch, speech::SpeechPart& part);
  bool AddPhonemes(std::vector<RawPhoneme>& raw, double end_s, speech::SpeechPart& part);
  bool AddWords(std::vector<RawWord>& raw, speech::SpeechPart& part);
  // Returns false, after dropping all marks, if the times are not valid.
  bool CheckTimes(absl::string_view kind, double& start_s, double& end_s, double& last_end_s,
                  speech::SpeechPart& part);
  void Drop(const std::string& why, speech::SpeechPart& part);
  void Hear(absl::Span<const int16_t> samples, int rate_hz);
  void Cover(double start_s, double end_s);
  void CheckCoverage(bool at_end, speech::SpeechPart& part);

  const double most_s_;
  bool dropped_ = false;
  size_t count_ = 0;
  double phonemes_until_s_ = 0;
  double words_until_s_ = 0;
  bool any_phonemes_ = false;
  std::vector<bool> covered_;  // per interval of 20 ms
  std::vector<bool> voiced_;   // of the intervals received
  double energy_ = 0;          // of the current interval
  int64_t in_stretch_ = 0;     // samples in it
  int64_t samples_ = 0;
  int rate_hz_ = 0;
};

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_MARK_CHECK_H_
