// Speaks a text and waits for all of it.
#ifndef POSEWIRE_TESTS_UNIT_SPEECH_SPEAK_WHOLE_H_
#define POSEWIRE_TESTS_UNIT_SPEECH_SPEAK_WHOLE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// Returns the voice's error when it fails.
inline absl::StatusOr<SpeechPiece> SpeakWhole(Voice& voice, const SpeechRequest& request) {
  const absl::StatusOr<std::unique_ptr<SpeechRun>> run = voice.Begin(request);
  if (!run.ok()) return run.status();
  SpeechPiece piece;
  for (;;) {
    SpeechPart part;
    const absl::StatusOr<bool> more = (*run)->Read(part);
    if (!more.ok()) return more.status();
    if (!*more) break;
    Append(part, piece);
  }
  FillPauses(piece);
  return piece;
}

}  // namespace posewire::speech

#endif  // POSEWIRE_TESTS_UNIT_SPEECH_SPEAK_WHOLE_H_
