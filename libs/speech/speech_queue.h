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

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/speech/clause_reader.h"
#include "libs/speech/piece_source.h"
#include "libs/speech/speech_text.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// How a text is spoken; see SpeechRequest.
struct SpeechManner {
  std::string language = {};
  double speed = 1;
};

// Whether that is what SpeechQueue::Next returns for a text without a word (INVALID_ARGUMENT),
// which a writer such as a language model may mean.
bool IsNothingToSay(const absl::Status& status);

// A thread of its own reads the voice, and begins a clause once the one before it is being played.
// One thread calls the rest.
class SpeechQueue {
 public:
  SpeechQueue(std::unique_ptr<Voice> voice, std::vector<TextPiece> pieces, SpeechManner manner = {})
      : SpeechQueue(std::move(voice), std::make_shared<PieceList>(std::move(pieces)),
                    std::move(manner)) {}
  // `voice` may be null if all items of `pieces` have sound. Everything is given at `rate_hz`; 0:
  // at the rate of the first sound. Sound of `pieces` has that rate already.
  SpeechQueue(std::unique_ptr<Voice> voice, std::shared_ptr<PieceSource> pieces,
              SpeechManner manner = {}, int rate_hz = 0);
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
  // (UNAUTHENTICATED, PERMISSION_DENIED, NOT_FOUND). A text without a word is an error too; see
  // IsNothingToSay.
  absl::StatusOr<std::optional<SpokenPiece>> Next();

  // Whether the text itself has not come yet, rather than its voice.
  bool waits_for_text() const { return pieces_->waiting(); }
  // Takes the beginning of a sentence that is not complete; see PieceSource.
  void Hurry() { pieces_->Hurry(); }

  // What was left out since the last call, one sentence each.
  std::vector<std::string> TakeNotes();

 private:
  void Work();
  bool MakeNext();
  absl::Status Make(const SayItem& item);
  void GiveSound(const SayItem& item);
  void GivePause(const TextPiece& piece);
  void Give(SpokenPiece piece);
  absl::Status Read(SpeechRun& run, ClauseReader& clause);
  bool MayBegin() const;

  const std::unique_ptr<Voice> voice_;
  const std::shared_ptr<PieceSource> pieces_;
  const SpeechManner manner_;
  // Of the thread that reads the voice.
  int rate_hz_;                    // 0 until sound came
  TextPiece before_;               // the last piece with text, without its text
  bool any_before_ = false;        // there was a piece with text, or sound
  bool sound_goes_on_ = false;     // the next sound belongs to the same clause
  double pause_s_ = 0;             // silence before the first sound
  std::vector<PlacedMark> marks_;  // of that silence
  int failed_in_a_row_ = 0;
  absl::Status first_error_;
  bool any_sound_ = false;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  size_t begun_ = 0;    // pieces
  bool sound_ = false;  // the last of them was spoken already
  size_t taken_ = 0;    // those of which Next gave something, or never will
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
