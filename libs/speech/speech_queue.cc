#include "libs/speech/speech_queue.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace posewire::speech {
namespace {

constexpr double kParagraphPause_s = 0.35;
// The most silence that is kept before the first word and after a sentence.
constexpr double kLongest_s = 0.8;
constexpr int kMostFailures = 3;

// The most silence that is kept before and after a clause, by its neighbours.
double LeadOf(const TextPiece* before) {
  if (!before) return kLongest_s;
  if (before->ending == SpeechEnding::kCut) return 0.02;
  return before->ending == SpeechEnding::kClause ? 0.06 : 0.12;
}

double TailOf(const TextPiece& piece) {
  if (piece.ending == SpeechEnding::kCut) return 0.02;
  return piece.ending == SpeechEnding::kClause ? 0.14 : kLongest_s;
}

// Whether the next clause would be refused as well.
bool IsShut(const absl::Status& error) {
  return absl::IsUnauthenticated(error) || absl::IsPermissionDenied(error) ||
         absl::IsNotFound(error);
}

}  // namespace

SpeechQueue::SpeechQueue(std::unique_ptr<Voice> voice, std::vector<TextPiece> pieces,
                         SpeechManner manner)
    : voice_(std::move(voice)), pieces_(std::move(pieces)), manner_(std::move(manner)) {
  try {
    worker_ = std::thread([this] {
      while (MakeNext()) {
      }
    });
  } catch (const std::system_error&) {
    alone_ = true;
  }
}

SpeechQueue::~SpeechQueue() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    if (run_) run_->Cancel();
    changed_.notify_all();
  }
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
    if (piece.begins_clause) ++taken_;
    changed_.notify_all();
    return piece;
  }
  if (!ended_->ok()) return *ended_;
  return std::nullopt;
}

// Whether something of every clause that was begun has been taken.
bool SpeechQueue::MayBegin() const { return taken_ == begun_ || alone_; }

// False after the last clause.
bool SpeechQueue::MakeNext() {
  size_t index;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return cancelled_ || MayBegin(); });
    if (cancelled_ || ended_) return false;
    index = begun_;
    if (index == pieces_.size()) {
      ended_ = any_sound_ ? absl::OkStatus()
               : first_error_.ok()
                   ? absl::DataLossError("the voice gave no sound for any piece of the text")
                   : first_error_;
      changed_.notify_all();
      return false;
    }
    ++begun_;
  }
  const absl::Status made = Make(index);
  const std::lock_guard lock(mutex_);
  if (made.ok()) return true;
  ended_ = made;
  changed_.notify_all();
  return false;
}

// An error ends it all.
absl::Status SpeechQueue::Make(size_t index) {
  const TextPiece& text = pieces_[index];
  const bool last = index + 1 == pieces_.size();
  const ClausePauses pauses{.lead_s = LeadOf(index > 0 ? &pieces_[index - 1] : nullptr),
                            .tail_s = TailOf(text),
                            .added_s = text.ends_paragraph && !last ? kParagraphPause_s : 0};
  bool gave = false;
  ClauseReader clause(text, pauses, rate_hz_, [&](SpokenPiece piece) {
    gave = true;
    piece.begins_paragraph = piece.begins_clause && index > 0 && pieces_[index - 1].ends_paragraph;
    const std::lock_guard lock(mutex_);
    made_.push_back(std::move(piece));
    changed_.notify_all();
  });
  absl::StatusOr<std::unique_ptr<SpeechRun>> run =
      voice_->Begin({text.text, manner_.language, manner_.speed});
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
  clause.Finish();
  rate_hz_ = clause.rate_hz();
  any_sound_ = any_sound_ || gave;
  const std::lock_guard lock(mutex_);
  if (!gave) ++taken_;
  if (cancelled_) return absl::CancelledError("the text was stopped");
  if (read.ok()) {
    failed_in_a_row_ = 0;
    if (!gave)
      notes_.push_back(absl::StrCat("text: the voice gave no sound for piece ", index + 1));
    return absl::OkStatus();
  }
  first_error_.Update(read);
  notes_.push_back(clause.given_s() > 0
                       ? absl::StrFormat("text: piece %d cut after %.1f s: %s", index + 1,
                                         clause.given_s(), read.message())
                       : absl::StrCat("text: piece ", index + 1, " left out: ", read.message()));
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
