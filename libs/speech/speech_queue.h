// Speaks the clauses of a text in order, one of them ahead of need.
#ifndef POSEWIRE_LIBS_SPEECH_SPEECH_QUEUE_H_
#define POSEWIRE_LIBS_SPEECH_SPEECH_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/speech/clause_reader.h"
#include "libs/speech/speech_text.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// How a text is spoken; see SpeechRequest.
struct SpeechManner {
  std::string language = {};
  double speed = 1;
};

// A thread of its own reads the voice, and begins a clause once the one before it is being played.
// One thread calls the rest.
class SpeechQueue {
 public:
  SpeechQueue(std::unique_ptr<Voice> voice, std::vector<TextPiece> pieces,
              SpeechManner manner = {});
  // Cancels what is being made.
  ~SpeechQueue();
  SpeechQueue(const SpeechQueue&) = delete;
  SpeechQueue& operator=(const SpeechQueue&) = delete;

  // Whether Next returns at once.
  bool Ready() const;

  // Waits for the next stretch of sound, its pauses fitted to how the text goes on; nothing at the
  // end. All have the rate of the first. A clause that the voice cannot speak is passed over, and
  // one that fails in its middle is cut there, each with a note. The voice's error is returned when
  // no clause has any sound, and after three clauses in a row that failed for another reason than
  // their text (INVALID_ARGUMENT); at once when the voice rejects the credentials or is unknown
  // (UNAUTHENTICATED, PERMISSION_DENIED, NOT_FOUND).
  absl::StatusOr<std::optional<SpokenPiece>> Next();

  // What was left out since the last call, one sentence each.
  std::vector<std::string> TakeNotes();

 private:
  bool MakeNext();
  absl::Status Make(size_t index);
  absl::Status Read(SpeechRun& run, ClauseReader& clause);
  bool MayBegin() const;

  const std::unique_ptr<Voice> voice_;
  const std::vector<TextPiece> pieces_;
  const SpeechManner manner_;
  // Of the thread that reads the voice.
  int rate_hz_ = 0;  // of the first piece
  int failed_in_a_row_ = 0;
  absl::Status first_error_;
  bool any_sound_ = false;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  size_t begun_ = 0;  // clauses
  size_t taken_ = 0;  // those of which Next gave something, or never will
  std::deque<SpokenPiece> made_;
  std::optional<absl::Status> ended_;
  std::vector<std::string> notes_;
  std::unique_ptr<SpeechRun> run_;
  bool cancelled_ = false;

  bool alone_ = false;  // no thread could be started, and Next makes the pieces
  std::thread worker_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SPEECH_QUEUE_H_
