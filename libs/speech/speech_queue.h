// Speaks the clauses of a text in order, preparing one ahead.
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

// Returns true if this is the error of SpeechQueue::Next for a text without a word
// (INVALID_ARGUMENT), which a writer such as a language model may intend.
bool IsNothingToSay(const absl::Status& status);

// A separate thread reads the voice, and begins a clause once the previous one is being played. All
// methods are for one thread.
class SpeechQueue {
 public:
  SpeechQueue(std::unique_ptr<Voice> voice, std::vector<TextPiece> pieces, SpeechManner manner = {})
      : SpeechQueue(std::move(voice), std::make_shared<PieceList>(std::move(pieces)),
                    std::move(manner)) {}
  // `voice` may be null if all items of `pieces` have audio. All output has `rate_hz`; 0: the rate
  // of the first audio. Audio of `pieces` must have that rate already.
  SpeechQueue(std::unique_ptr<Voice> voice, std::shared_ptr<PieceSource> pieces,
              SpeechManner manner = {}, int rate_hz = 0);
  // Cancels the current clause.
  ~SpeechQueue();
  SpeechQueue(const SpeechQueue&) = delete;
  SpeechQueue& operator=(const SpeechQueue&) = delete;

  // Returns true if Next will not wait.
  bool Ready() const;

  // Waits for the next part of the audio, with pauses adjusted to the following text; nothing at
  // the end. All parts have the rate of the first. A clause that the voice cannot speak is skipped,
  // and one that fails midway is cut off there, each with a note. Returns the voice's error if no
  // clause has any audio, and after three consecutive clauses that failed for another reason than
  // their text (INVALID_ARGUMENT); at once if the voice rejects the credentials or is unknown
  // (UNAUTHENTICATED, PERMISSION_DENIED, NOT_FOUND). A text without a word is an error too; see
  // IsNothingToSay.
  absl::StatusOr<std::optional<SpokenPiece>> Next();

  // Returns true if the text itself has not arrived, as opposed to its audio.
  bool waits_for_text() const { return pieces_->waiting(); }
  // Takes the beginning of an incomplete sentence; see PieceSource.
  void Hurry() { pieces_->Hurry(); }

  // Returns notes on what was dropped since the last call, one sentence each.
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
  // Used by the thread that reads the voice.
  int rate_hz_;                    // 0 until there is audio
  TextPiece before_;               // the last piece with text, without its text
  bool any_before_ = false;        // there was a piece with text, or audio
  bool sound_goes_on_ = false;     // the next audio continues the clause
  double pause_s_ = 0;             // silence before the first audio
  std::vector<PlacedMark> marks_;  // in that silence
  int failed_in_a_row_ = 0;
  absl::Status first_error_;
  bool any_sound_ = false;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  size_t begun_ = 0;    // in pieces
  bool sound_ = false;  // the last of them is existing audio
  size_t taken_ = 0;    // pieces that Next has returned, or never will
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
