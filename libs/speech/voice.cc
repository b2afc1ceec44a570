#include "libs/speech/voice.h"

#include <iterator>
#include <utility>

#include "absl/status/status.h"

namespace posewire::speech {
namespace {

// Shorter gaps between phonemes are none.
constexpr double kGap_s = 0.001;

template <typename T>
void Append(std::vector<T>&& from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

absl::StatusOr<SpeechPiece> SpeakWhole(Voice& voice, const SpeechRequest& request) {
  const absl::StatusOr<std::unique_ptr<SpeechRun>> run = voice.Begin(request);
  if (!run.ok()) return run.status();
  SpeechPiece piece;
  for (;;) {
    SpeechPart part;
    const absl::StatusOr<bool> more = (*run)->Read(part);
    if (!more.ok()) return more.status();
    if (!*more) break;
    if (!part.samples.empty()) piece.rate_hz = part.rate_hz;
    piece.samples.insert(piece.samples.end(), part.samples.begin(), part.samples.end());
    piece.phone_set = part.phone_set;
    Append(std::move(part.phonemes), piece.phonemes);
    Append(std::move(part.words), piece.words);
  }
  FillPauses(piece);
  return piece;
}

void FillPauses(SpeechPiece& piece) {
  if (piece.phonemes.empty()) return;
  std::vector<Phoneme> filled;
  filled.reserve(piece.phonemes.size() + 2);
  double until_s = 0;
  const auto pause_until = [&](double start_s) {
    if (start_s - until_s > kGap_s) filled.push_back({"pau", until_s, start_s});
  };
  for (Phoneme& phoneme : piece.phonemes) {
    pause_until(phoneme.start_s);
    if (phoneme.start_s - until_s <= kGap_s) phoneme.start_s = until_s;
    until_s = phoneme.end_s;
    filled.push_back(std::move(phoneme));
  }
  pause_until(piece.duration_s());
  filled.back().end_s = piece.duration_s();
  piece.phonemes = std::move(filled);
}

}  // namespace posewire::speech
