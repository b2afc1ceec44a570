#include "libs/speech/speech_queue.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace posewire::speech {
namespace {

constexpr double kParagraphPause_s = 0.35;
// The most silence kept before the first word and after a sentence.
constexpr double kLongest_s = 0.8;
constexpr int kMostFailures = 3;
// The most silence and marks that wait for the first samples; the rest is dropped.
constexpr double kMostPause_s = 10;
constexpr size_t kMostMarks = 100;
// The most stretches of a caller's audio that are prepared ahead.
constexpr size_t kMostSounds = 64;

// The most silence kept before and after a clause, depending on its neighbours.
double LeadOf(const TextPiece* before) {
  if (!before) return kLongest_s;
  if (before->ending == SpeechEnding::kCut) return 0.02;
  return before->ending == SpeechEnding::kClause ? 0.06 : 0.12;
}

double TailOf(const TextPiece& piece) {
  if (piece.ending == SpeechEnding::kCut) return 0.02;
  return piece.ending == SpeechEnding::kClause ? 0.14 : kLongest_s;
}

SpokenPiece Silence(double length_s, int rate_hz, std::vector<PlacedMark> marks) {
  SpokenPiece silence;
  silence.speech.rate_hz = rate_hz;
  silence.speech.samples.resize(static_cast<size_t>(std::lround(length_s * rate_hz)));
  silence.marks = std::move(marks);
  return silence;
}

// Returns whether the next clause would be rejected as well.
bool IsShut(const absl::Status& error) {
  return absl::IsUnauthenticated(error) || absl::IsPermissionDenied(error) ||
         absl::IsNotFound(error);
}

absl::Status NothingToSay() {
  return absl::InvalidArgumentError("text: nothing in it can be spoken");
}

}  // namespace

bool IsNothingToSay(const absl::Status& status) { return status == NothingToSay(); }

SpeechQueue::SpeechQueue(std::unique_ptr<Voice> voice, std::shared_ptr<PieceSource> pieces,
                         SpeechManner manner, int rate_hz)
    : voice_(std::move(voice)),
      pieces_(std::move(pieces)),
      manner_(std::move(manner)),
      rate_hz_(rate_hz) {
  try {
    worker_ = std::thread([this] { Work(); });
  } catch (const std::system_error&) {
    alone_ = true;
  }
}

// Runs on the worker thread. An exception of the voice ends the text, not the process.
void SpeechQueue::Work() {
  absl::Status thrown;
  try {
    while (MakeNext()) {
    }
    return;
  } catch (const std::bad_alloc&) {
    thrown = absl::ResourceExhaustedError("voice: no memory is left for its sound");
  } catch (const std::exception& e) {
    thrown = absl::InternalError(absl::StrCat("voice: ", e.what()));
  }
  const std::lock_guard lock(mutex_);
  ended_ = thrown;
  changed_.notify_all();
}

SpeechQueue::~SpeechQueue() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    if (run_) run_->Cancel();
    changed_.notify_all();
  }
  pieces_->Cancel();
  if (worker_.joinable()) worker_.join();
}

bool SpeechQueue::Ready() const {
  const std::lock_guard lock(mutex_);
  return !made_.empty() || ended_ || alone_;
}

std::vector<std::string> SpeechQueue::TakeNotes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

absl::StatusOr<std::optional<SpokenPiece>> SpeechQueue::Next() {
  std::unique_lock lock(mutex_);
  while (made_.empty() && !ended_) {
    if (!alone_) {
      changed_.wait(lock);
      continue;
    }
    lock.unlock();
    MakeNext();
    lock.lock();
  }
  if (!made_.empty()) {
    SpokenPiece piece = std::move(made_.front());
    made_.pop_front();
    if (piece.begins_item) ++taken_;
    changed_.notify_all();
    return piece;
  }
  if (!ended_->ok()) return *ended_;
  return std::nullopt;
}

// Returns whether a piece of every item begun so far has been taken. Finished audio costs nothing
// to prepare, so it does not wait for that.
bool SpeechQueue::MayBegin() const {
  return taken_ == begun_ || alone_ || (sound_ && made_.size() < kMostSounds);
}

// Returns false after the last piece.
bool SpeechQueue::MakeNext() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return cancelled_ || MayBegin(); });
    if (cancelled_ || ended_) return false;
  }
  const std::optional<SayItem> item = pieces_->Next();
  std::vector<std::string> notes = pieces_->TakeNotes();
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return false;
    std::move(notes.begin(), notes.end(), std::back_inserter(notes_));
    if (!item) {
      ended_ = any_sound_     ? absl::OkStatus()
               : !any_before_ ? NothingToSay()
               : first_error_.ok()
                   ? absl::DataLossError("the voice gave no sound for any piece of the text")
                   : first_error_;
      changed_.notify_all();
      return false;
    }
    ++begun_;
    sound_ = item->sound.has_value();
  }
  absl::Status made;
  if (item->sound) {
    GiveSound(*item);
  } else if (item->piece.text.empty()) {
    GivePause(item->piece);
  } else {
    made = Make(*item);
  }
  const std::lock_guard lock(mutex_);
  if (made.ok()) return true;
  ended_ = made;
  changed_.notify_all();
  return false;
}

void SpeechQueue::Give(SpokenPiece piece) {
  any_sound_ = any_sound_ || !piece.speech.samples.empty();
  const std::lock_guard lock(mutex_);
  made_.push_back(std::move(piece));
  changed_.notify_all();
}

void SpeechQueue::GiveSound(const SayItem& item) {
  const SpeechPart& sound = *item.sound;
  SpokenPiece piece;
  rate_hz_ = sound.rate_hz;
  any_before_ = any_before_ || !sound.samples.empty();
  piece.speech.rate_hz = sound.rate_hz;
  piece.speech.samples = sound.samples;
  piece.speech.phonemes = sound.phonemes;
  piece.speech.words = sound.words;
  piece.speech.phone_set = sound.phone_set;
  FillPauses(piece.speech);
  piece.begins_clause = !sound_goes_on_ || !item.piece.text.empty() || !sound.words.empty();
  piece.ends_clause = item.ends_clause;
  sound_goes_on_ = !item.ends_clause;
  piece.text = item.piece.text;
  piece.ending = item.piece.ending;
  piece.begins_item = true;
  Give(std::move(piece));
}

// Queues silence, or marks that no word follows. Both wait for the first audio, which sets the
// rate.
void SpeechQueue::GivePause(const TextPiece& piece) {
  if (rate_hz_ == 0) {
    pause_s_ = std::min(pause_s_ + piece.pause_s, kMostPause_s);
    for (const PlacedMark& mark : piece.marks) {
      if (marks_.size() < kMostMarks) marks_.push_back({0, mark.mark});
    }
    const std::lock_guard lock(mutex_);
    ++taken_;
    return;
  }
  SpokenPiece silence = Silence(piece.pause_s, rate_hz_, piece.marks);
  silence.begins_item = true;
  // Does not call Give: silence alone is not speech.
  const std::lock_guard lock(mutex_);
  made_.push_back(std::move(silence));
  changed_.notify_all();
}

// An error ends it all.
absl::Status SpeechQueue::Make(const SayItem& item) {
  const TextPiece& text = item.piece;
  const ClausePauses pauses{
      .lead_s = LeadOf(any_before_ ? &before_ : nullptr),
      .tail_s = TailOf(text),
      .added_s = text.pause_s + (text.ends_paragraph ? kParagraphPause_s : 0)};
  const bool begins_paragraph = any_before_ && before_.ends_paragraph;
  bool gave = false;
  ClauseReader clause(text, pauses, rate_hz_, [&](SpokenPiece piece) {
    piece.begins_paragraph = piece.begins_clause && begins_paragraph;
    piece.begins_item = !std::exchange(gave, true);
    if (pause_s_ > 0 || !marks_.empty()) {
      Give(Silence(std::exchange(pause_s_, 0), piece.speech.rate_hz, std::exchange(marks_, {})));
    }
    Give(std::move(piece));
  });
  const std::string& language = text.language.empty() ? manner_.language : text.language;
  absl::StatusOr<std::unique_ptr<SpeechRun>> run =
      voice_->Begin({text.text, language, manner_.speed});
  absl::Status read = run.status();
  if (run.ok()) {
    {
      const std::lock_guard lock(mutex_);
      run_ = *std::move(run);
      if (cancelled_) run_->Cancel();
    }
    read = Read(*run_, clause);
    std::unique_ptr<SpeechRun> over;
    const std::lock_guard lock(mutex_);
    over = std::move(run_);
  }
  clause.Finish(/*cut=*/!read.ok());
  rate_hz_ = clause.rate_hz();
  before_ = {.text = {}, .ending = text.ending, .ends_paragraph = text.ends_paragraph};
  any_before_ = true;
  const std::lock_guard lock(mutex_);
  if (!gave) ++taken_;
  if (cancelled_) return absl::CancelledError("the text was stopped");
  if (read.ok()) {
    failed_in_a_row_ = 0;
    if (!gave) notes_.push_back(absl::StrCat("text: the voice gave no sound for piece ", begun_));
    return absl::OkStatus();
  }
  first_error_.Update(read);
  notes_.push_back(clause.given_s() > 0
                       ? absl::StrFormat("text: piece %d cut after %.1f s: %s", begun_,
                                         clause.given_s(), read.message())
                       : absl::StrCat("text: piece ", begun_, " left out: ", read.message()));
  if (IsShut(read)) return read;
  if (absl::IsInvalidArgument(read)) return absl::OkStatus();
  if (++failed_in_a_row_ == kMostFailures) return read;
  return absl::OkStatus();
}

absl::Status SpeechQueue::Read(SpeechRun& run, ClauseReader& clause) {
  for (;;) {
    SpeechPart part;
    const absl::StatusOr<bool> more = run.Read(part);
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
    if (!part.notes.empty()) {
      const std::lock_guard lock(mutex_);
      std::move(part.notes.begin(), part.notes.end(), std::back_inserter(notes_));
    }
    clause.Add(part);
  }
}

}  // namespace posewire::speech
