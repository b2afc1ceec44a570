#include "libs/speech/speech_queue.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace posewire::speech {
namespace {

constexpr double kWhole = std::numeric_limits<double>::infinity();
constexpr double kParagraphPause_s = 0.35;

bool IsPause(const Phoneme& s) { return s.phone == "pau"; }

// Moves every time by `by_s` and keeps it within the piece.
void ShiftTimes(double by_s, SpeechPiece& piece) {
  const double length_s = piece.duration_s();
  const auto move = [&](double& t) { t = std::clamp(t + by_s, 0.0, length_s); };
  for (Phoneme& s : piece.phonemes) {
    move(s.start_s);
    move(s.end_s);
  }
  for (Word& w : piece.words) {
    move(w.start_s);
    move(w.end_s);
    move(w.beat_s);
  }
}

// Silence that the voice leaves before and after a piece, by what stands around it.
double LeadOf(const TextPiece* before) {
  if (!before) return kWhole;
  if (before->ending == SpeechEnding::kCut) return 0.02;
  return before->ending == SpeechEnding::kClause ? 0.06 : 0.12;
}

double TailOf(const TextPiece& piece) {
  if (piece.ending == SpeechEnding::kCut) return 0.02;
  return piece.ending == SpeechEnding::kClause ? 0.14 : kWhole;
}

void AddSilence(double seconds, SpeechPiece& piece) {
  piece.samples.resize(piece.samples.size() +
                       static_cast<size_t>(std::lround(seconds * piece.rate_hz)));
  if (!piece.phonemes.empty()) piece.phonemes.back().end_s = piece.duration_s();
}

}  // namespace

void TrimSilence(double lead_s, double tail_s, SpeechPiece& piece) {
  if (piece.phonemes.empty() || piece.rate_hz <= 0) return;
  const auto samples_of = [&](double t) { return static_cast<std::ptrdiff_t>(t * piece.rate_hz); };
  const Phoneme& last = piece.phonemes.back();
  if (IsPause(last) && piece.phonemes.size() > 1 && last.end_s - last.start_s > tail_s) {
    piece.samples.resize(static_cast<size_t>(samples_of(last.start_s + tail_s)));
  }
  double cut_s = 0;
  const Phoneme& first = piece.phonemes.front();
  if (IsPause(first) && piece.phonemes.size() > 1 && first.end_s - first.start_s > lead_s) {
    const std::ptrdiff_t cut = samples_of(first.end_s - lead_s);
    piece.samples.erase(piece.samples.begin(), piece.samples.begin() + cut);
    cut_s = static_cast<double>(cut) / piece.rate_hz;
  }
  ShiftTimes(-cut_s, piece);
}

SpeechQueue::SpeechQueue(std::unique_ptr<Voice> voice, std::vector<TextPiece> pieces)
    : voice_(std::move(voice)), pieces_(std::move(pieces)) {}

void SpeechQueue::Start() {
  if (started_ == pieces_.size()) return;
  const TextPiece& piece = pieces_[started_++];
  const auto speak = [voice = voice_.get(), &piece] { return voice->Speak(piece.text); };
  try {
    pending_ = std::async(std::launch::async, speak);
  } catch (
      const std::system_error&) {  // no thread to be had: the piece is made when it is asked for
    pending_ = std::async(std::launch::deferred, speak);
  }
}

absl::StatusOr<std::optional<SpokenPiece>> SpeechQueue::Next() {
  for (;;) {
    if (!pending_.valid()) Start();
    if (!pending_.valid()) break;
    const size_t index = started_ - 1;
    absl::StatusOr<SpeechPiece> made = pending_.get();
    Start();
    const TextPiece& text = pieces_[index];
    if (!made.ok()) {
      first_error_.Update(made.status());
      notes_.push_back(absl::StrCat("text: piece ", index, " left out: ", made.status().message()));
      continue;
    }
    if (made->samples.empty()) continue;
    if (made->rate_hz <= 0 || (rate_hz_ != 0 && made->rate_hz != rate_hz_)) {
      return absl::InternalError(absl::StrCat("piece ", index, " has ", made->rate_hz,
                                              " samples a second, the first one ", rate_hz_));
    }
    rate_hz_ = made->rate_hz;
    TrimSilence(LeadOf(index > 0 ? &pieces_[index - 1] : nullptr), TailOf(text), *made);
    if (text.ends_paragraph && index + 1 < pieces_.size()) AddSilence(kParagraphPause_s, *made);
    const bool begins_paragraph = index > 0 && pieces_[index - 1].ends_paragraph;
    return SpokenPiece{*std::move(made), text.ending, begins_paragraph};
  }
  if (rate_hz_ == 0) {
    if (!first_error_.ok()) return first_error_;
    return absl::InvalidArgumentError("text: nothing in it can be spoken");
  }
  return std::nullopt;
}

}  // namespace posewire::speech
