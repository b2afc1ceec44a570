#include "libs/speech/clause_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace posewire::speech {
namespace {

// A clause whose samples arrive in parts is handed on in stretches of at least this length. It
// bridges the usual gap between two network packets.
constexpr double kStretch_s = 0.25;

void ShiftTimes(double by_s, double length_s, SpeechPiece& piece) {
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
  if (IsPause(last.phone, piece.phone_set) && piece.phonemes.size() > 1 &&
      last.end_s - last.start_s > tail_s) {
    piece.samples.resize(static_cast<size_t>(samples_of(last.start_s + tail_s)));
  }
  double cut_s = 0;
  const Phoneme& first = piece.phonemes.front();
  if (IsPause(first.phone, piece.phone_set) && piece.phonemes.size() > 1 &&
      first.end_s - first.start_s > lead_s) {
    const std::ptrdiff_t cut = samples_of(first.end_s - lead_s);
    piece.samples.erase(piece.samples.begin(), piece.samples.begin() + cut);
    cut_s = static_cast<double>(cut) / piece.rate_hz;
  }
  ShiftTimes(-cut_s, piece.duration_s(), piece);
}

ClauseReader::ClauseReader(const TextPiece& text, const ClausePauses& pauses, int rate_hz,
                           Give give)
    : text_(text), pauses_(pauses), rate_hz_(rate_hz), give_(std::move(give)) {}

double ClauseReader::given_s() const {
  return rate_hz_ > 0 ? static_cast<double>(given_) / rate_hz_ : 0;
}

void ClauseReader::Add(const SpeechPart& part) {
  // Hands on the earlier samples only when more follow, so that a clause that arrives in one part
  // stays one piece.
  if (trimmer_ && !part.samples.empty() &&
      static_cast<double>(whole_.samples.size()) >= kStretch_s * rate_hz_) {
    GiveStretch(/*last=*/false);
  }
  AppendMarks(part, whole_);
  if (part.samples.empty()) return;
  if (!change_) {
    if (rate_hz_ == 0) rate_hz_ = part.rate_hz;
    whole_.rate_hz = rate_hz_;
    change_.emplace(part.rate_hz, rate_hz_);
    if (whole_.phonemes.empty() && whole_.words.empty()) {
      trimmer_.emplace(rate_hz_, pauses_.lead_s, pauses_.tail_s);
    }
  }
  std::vector<int16_t> sound;
  change_->Add(part.samples, trimmer_ ? sound : whole_.samples);
  if (trimmer_) trimmer_->Add(sound, whole_.samples);
}

void ClauseReader::Finish(bool cut) {
  if (!change_) return;
  std::vector<int16_t> sound;
  if (!trimmer_ && whole_.phonemes.empty()) {  // only words, or the phonemes were withdrawn
    trimmer_.emplace(rate_hz_, pauses_.lead_s, pauses_.tail_s);
    sound = std::exchange(whole_.samples, {});
  }
  change_->Finish(trimmer_ ? sound : whole_.samples);
  if (trimmer_) {
    trimmer_->Add(sound, whole_.samples);
    trimmer_->Finish(whole_.samples);
  }
  if (whole_.samples.empty() && !began_) return;  // the whole clause was silence
  if (!trimmer_) {
    FillPauses(whole_);
    TrimSilence(pauses_.lead_s, pauses_.tail_s, whole_);
  }
  AddSilence(pauses_.added_s, whole_);
  GiveStretch(/*last=*/true, cut);
}

void ClauseReader::GiveStretch(bool last, bool cut) {
  SpokenPiece piece;
  piece.begins_clause = !std::exchange(began_, true);
  piece.ends_clause = last;
  piece.cut = cut;
  piece.speech.rate_hz = rate_hz_;
  piece.speech.samples = std::exchange(whole_.samples, {});
  given_ += piece.speech.samples.size();
  if (piece.begins_clause) {
    piece.text = text_.text;
    piece.ending = text_.ending;
    piece.marks = text_.marks;
    piece.speech.phone_set = whole_.phone_set;
    // Ignores times that arrive after the first samples of a clause were handed on: the movements
    // that they time have already begun.
    if (last) {
      if (trimmer_) ShiftTimes(-trimmer_->cut_s(), piece.speech.duration_s(), whole_);
      piece.speech.words = std::exchange(whole_.words, {});
      if (!trimmer_) piece.speech.phonemes = std::exchange(whole_.phonemes, {});
    }
  }
  if (last) piece.tail_s = pauses_.added_s + (trimmer_ ? trimmer_->tail_s() : 0);
  give_(std::move(piece));
}

}  // namespace posewire::speech
