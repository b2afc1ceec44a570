// Speaks the pieces of a text in order, one of them ahead of need.
#ifndef POSEWIRE_LIBS_SPEECH_SPEECH_QUEUE_H_
#define POSEWIRE_LIBS_SPEECH_SPEECH_QUEUE_H_

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/speech/speech_text.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

struct SpokenPiece {
  SpeechPiece speech;
  SpeechEnding ending = SpeechEnding::kStatement;
  bool begins_paragraph = false;  // not the first one
};

// One thread calls it. Making a sentence takes longer than a frame lasts, so that one helper thread
// makes the next piece while this one plays; the voice never gets two calls at once. The
// destructor waits for a piece in the making.
class SpeechQueue {
 public:
  SpeechQueue(std::unique_ptr<Voice> voice, std::vector<TextPiece> pieces);

  // The next piece that has sound, its pauses fitted to how the text goes on; nothing at the end. A
  // piece that the voice cannot speak is passed over with a note; when that leaves nothing at all,
  // its error is returned. INTERNAL when the voice changes its rate.
  absl::StatusOr<std::optional<SpokenPiece>> Next();

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void Start();

  std::unique_ptr<Voice> voice_;
  std::vector<TextPiece> pieces_;
  size_t started_ = 0;
  int rate_hz_ = 0;  // of the first piece
  absl::Status first_error_;
  std::vector<std::string> notes_;
  std::future<absl::StatusOr<SpeechPiece>> pending_;  // of pieces_[started_ - 1]
};

// Shortens the silence before the first and after the last phoneme to at most these lengths.
void TrimSilence(double lead_s, double tail_s, SpeechPiece& piece);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SPEECH_QUEUE_H_
