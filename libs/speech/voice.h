// The interface between voices and the face: takes text, and returns audio and the times of
// phonemes and words.
//
// A voice returns a run for a text, which is read part by part as the audio is made, and can be
// cancelled at any moment, because a voice may be a distant server. Some voices report the times of
// phonemes or words. The lips follow the phonemes if they are known, or else the audio (hearing.h).
#ifndef POSEWIRE_LIBS_SPEECH_VOICE_H_
#define POSEWIRE_LIBS_SPEECH_VOICE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/speech/viseme_table.h"

namespace posewire::speech {

// One phoneme, in seconds from the first sample of its piece.
struct Phoneme {
  std::string phone;  // in its piece's PhoneSet; "pau" for silence
  double start_s = 0;
  double end_s = 0;
  bool stressed = false;  // the vowel or consonant of a stressed syllable
};

struct Word {
  std::string text;  // lower case, as spoken
  double start_s = 0;
  double end_s = 0;
  double beat_s = 0;      // the middle of its strongest vowel
  bool accented = false;  // carries a pitch accent
};

// A complete piece of speech. Samples are mono, 16 bit. Phonemes are contiguous and together cover
// all samples; or there are none.
struct SpeechPiece {
  int rate_hz = 0;
  std::vector<int16_t> samples;
  std::vector<Phoneme> phonemes;
  std::vector<Word> words;
  PhoneSet phone_set = PhoneSet::kArpabet;  // of all phonemes

  double duration_s() const {
    return rate_hz > 0 ? static_cast<double>(samples.size()) / rate_hz : 0;
  }
};

// One clause or sentence to speak.
struct SpeechRequest {
  std::string text = {};      // UTF-8
  std::string language = {};  // BCP 47, such as "en-US"; empty: the voice's own
  double speed = 1;           // relative to the voice's own rate of speech, 0.5 to 2
};

// The times that a voice reports; with phonemes come words.
enum class Marks { kNone, kWords, kPhonemes };

// A part of a run's audio, contiguous with the part before it.
struct SpeechPart {
  int rate_hz = 0;               // the same in all parts of a run; 0 if there are no samples
  std::vector<int16_t> samples;  // mono
  // Times in seconds from the run's first sample. Each is returned once, in order, not later than
  // the samples that it is in. Gaps between phonemes are silence.
  std::vector<Phoneme> phonemes;
  std::vector<Word> words;
  PhoneSet phone_set = PhoneSet::kArpabet;  // of all phonemes of the run
  // The marks so far cover the audio up to here; 0: there are none. If it falls back to 0, the
  // marks so far were wrong: discard those not used yet.
  double marks_until_s = 0;
  std::vector<std::string> notes;  // for users: what was ignored or assumed, a sentence each
};

// Speech that is being made. The destructor cancels it.
class SpeechRun {
 public:
  virtual ~SpeechRun() = default;

  // Waits for the next part. Returns false when everything was spoken. One thread at a time.
  // CANCELLED soon after Cancel; other errors are the voice's own.
  virtual absl::StatusOr<bool> Read(SpeechPart& part) = 0;

  // Ends a waiting Read within 20 ms, and later ones at once. Any thread.
  virtual void Cancel() = 0;
};

// Begin may be called while another run is being read.
class Voice {
 public:
  virtual ~Voice() = default;

  // Starts to speak a text, without waiting. The run must not outlive the voice. INVALID_ARGUMENT
  // for a speed out of range. For a text that the voice cannot speak at all, the run fails or has
  // no audio.
  virtual absl::StatusOr<std::unique_ptr<SpeechRun>> Begin(const SpeechRequest& request) = 0;
};

// Adds the marks of a part to earlier ones, which are discarded if they were wrong.
void AppendMarks(const SpeechPart& part, SpeechPiece& piece);

// Adds a part to earlier ones, marks and audio.
void Append(const SpeechPart& part, SpeechPiece& piece);

// Fills the gaps between phonemes, and before and after them, with "pau", joins adjacent pauses,
// and cuts what extends beyond the audio. Does nothing without phonemes.
void FillPauses(SpeechPiece& piece);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_VOICE_H_
