#include "libs/speech/voice.h"

#include <algorithm>
#include <utility>

namespace posewire::speech {
namespace {

// Ignores shorter gaps between phonemes.
constexpr double kGap_s = 0.001;

}  // namespace

void AppendMarks(const SpeechPart& part, SpeechPiece& piece) {
  if (part.marks_until_s == 0) {
    piece.phonemes.clear();
    piece.words.clear();
  }
  piece.phone_set = part.phone_set;
  piece.phonemes.insert(piece.phonemes.end(), part.phonemes.begin(), part.phonemes.end());
  piece.words.insert(piece.words.end(), part.words.begin(), part.words.end());
}

void Append(const SpeechPart& part, SpeechPiece& piece) {
  AppendMarks(part, piece);
  if (part.samples.empty()) return;
  piece.rate_hz = part.rate_hz;
  piece.samples.insert(piece.samples.end(), part.samples.begin(), part.samples.end());
}

void FillPauses(SpeechPiece& piece) {
  if (piece.phonemes.empty()) return;
  const double length_s = piece.duration_s();
  std::vector<Phoneme> filled;
  filled.reserve(piece.phonemes.size() + 2);
  double until_s = 0;
  const auto add = [&](Phoneme phoneme) {
    phoneme.start_s = until_s;
    until_s = phoneme.end_s;
    const bool pause = IsPause(phoneme.phone, piece.phone_set);
    if (pause && !filled.empty() && IsPause(filled.back().phone, piece.phone_set)) {
      filled.back().end_s = phoneme.end_s;
    } else {
      filled.push_back(std::move(phoneme));
    }
  };
  for (Phoneme& phoneme : piece.phonemes) {
    const double start_s = std::min(phoneme.start_s, length_s);
    if (start_s - until_s > kGap_s) add({"pau", until_s, start_s});
    phoneme.end_s = std::min(phoneme.end_s, length_s);
    if (phoneme.end_s > until_s) add(std::move(phoneme));
  }
  if (length_s - until_s > kGap_s) add({"pau", until_s, length_s});
  if (!filled.empty()) filled.back().end_s = length_s;
  piece.phonemes = std::move(filled);
}

}  // namespace posewire::speech
