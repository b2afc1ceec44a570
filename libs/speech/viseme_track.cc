#include "libs/speech/viseme_track.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "libs/speech/easing_curves.h"
#include "libs/speech/mouth_mean.h"

namespace posewire::speech {
namespace {

// A window starts to open kOpen_s before its phoneme, is fully open kOpened_s after the start, and
// closes around the end. Lips round kRoundLead_s earlier than they open.
constexpr double kOpen_s = 0.12;
constexpr double kRoundLead_s = 0.05;
constexpr double kOpened_s = 0.01;
constexpr double kCloses_s = 0.06;
constexpr double kClosed_s = 0.06;
constexpr double kReach_s = 0.19;  // beyond any window and any ramp of a lip contact

constexpr int kTaps = 2;
constexpr double kTap_s = 0.018;

// Lips that must meet are closed separately from the mean. In the mean they count less, or they
// would keep the neighbouring vowels half closed.
constexpr float kContactStrength = 0.6f;
constexpr double kMeet_s = 0.088;
constexpr double kPart_s = 0.09;
constexpr double kLeastRamp_s = 0.06;

double RootMeanSquare(const SpeechPiece& piece, double start_s, double end_s) {
  const auto size = static_cast<double>(piece.samples.size());
  const auto from = static_cast<size_t>(std::clamp(start_s * piece.rate_hz, 0.0, size));
  const auto to = static_cast<size_t>(std::clamp(end_s * piece.rate_hz, 0.0, size));
  if (from >= to) return 0;
  double sum = 0;
  for (size_t i = from; i < to; ++i) {
    sum += static_cast<double>(piece.samples[i]) * piece.samples[i];
  }
  return std::sqrt(sum / static_cast<double>(to - from));
}

// Returns the usual loudness of a vowel in the piece: the median, or 0 without vowels.
double VowelLoudness(const SpeechPiece& piece) {
  std::vector<double> loudness;
  for (const Phoneme& s : piece.phonemes) {
    if (FindVisemes(s.phone, piece.phone_set).vowel)
      loudness.push_back(RootMeanSquare(piece, s.start_s, s.end_s));
  }
  if (loudness.empty()) return 0;
  const auto middle = loudness.begin() + static_cast<std::ptrdiff_t>(loudness.size() / 2);
  std::nth_element(loudness.begin(), middle, loudness.end());
  return *middle;
}

// Returns whether a phoneme is in a word that carries an accent.
bool IsAccented(const SpeechPiece& piece, const Phoneme& s) {
  const double middle_s = (s.start_s + s.end_s) / 2;
  return std::any_of(piece.words.begin(), piece.words.end(), [middle_s](const Word& w) {
    return w.accented && w.start_s <= middle_s && middle_s < w.end_s;
  });
}

// Returns how far a vowel opens the jaw and lips, from its stress and its loudness relative to the
// piece's usual loudness.
float VowelOpenness(const SpeechPiece& piece, const Phoneme& s, double usual) {
  const double stress = !s.stressed ? 0.86 : IsAccented(piece, s) ? 1.08 : 1.0;
  if (usual <= 0) return static_cast<float>(stress);
  const double loudness = RootMeanSquare(piece, s.start_s, s.end_s) / usual;
  return static_cast<float>(std::min(stress * std::clamp(std::sqrt(loudness), 0.75, 1.1), 1.12));
}

}  // namespace

VisemeTrack::VisemeTrack() : contacts_(kMeet_s, kPart_s, kLeastRamp_s) {}

void VisemeTrack::AddTarget(const Viseme& viseme, double start_s, double end_s, float openness) {
  const double length_s = end_s - start_s;
  auto strength = static_cast<float>(std::clamp(0.35 + length_s / 0.11, 0.35, 1.0));
  if (viseme.contact != LipContact::kNone) strength *= kContactStrength;
  targets_.push_back({&viseme, start_s, end_s, openness, strength});
  if (viseme.contact == LipContact::kNone) return;
  const double parts_s = std::max(end_s - 0.008, start_s + 0.004);
  contacts_.Add(viseme, std::min(start_s, parts_s - kMinContact_s), parts_s);
}

void VisemeTrack::Add(const SpeechPiece& piece, double start_s) {
  const double usual = VowelLoudness(piece);
  for (const Phoneme& s : piece.phonemes) {
    const PhoneVisemes visemes = FindVisemes(s.phone, piece.phone_set);
    const float openness = visemes.vowel ? VowelOpenness(piece, s, usual) : 1;
    const double from = start_s + s.start_s, to = start_s + s.end_s;
    const double split = visemes.second ? from + (to - from) * visemes.split : to;
    AddTarget(*visemes.first, from, split, openness);
    if (visemes.second) AddTarget(*visemes.second, split, to, openness);
  }
}

void VisemeTrack::DropBefore(double t_s) {
  // Keeps the last target: it holds when nothing follows.
  while (targets_.size() > 1 && targets_.front().end_s < t_s - 2 * kReach_s) targets_.pop_front();
  contacts_.DropBefore(t_s - 2 * kReach_s);
}

MouthPose VisemeTrack::Blend(double t_s) const {
  MouthMean mean;
  for (const Target& target : targets_) {
    if (target.start_s > t_s + kReach_s) break;
    if (target.end_s < t_s - kReach_s) continue;
    const float fall = 1 - EaseInOut(t_s, target.end_s - kCloses_s, target.end_s + kClosed_s);
    const float rise = EaseInOut(t_s, target.start_s - kOpen_s, target.start_s + kOpened_s);
    const float early = EaseInOut(t_s, target.start_s - kOpen_s - kRoundLead_s,
                                  target.start_s + kOpened_s - kRoundLead_s);
    mean.Add(*target.viseme, rise * fall * target.strength, early * fall * target.strength,
             target.openness);
  }
  return mean.Mean();
}

MouthPose VisemeTrack::At(double t_s) const {
  // Averages over a short time: muscles have mass, but a strong target that yields to a weak one
  // would otherwise let go at once.
  MouthPose pose{};
  for (int tap = -kTaps; tap <= kTaps; ++tap) {
    const MouthPose p = Blend(t_s + tap * kTap_s);
    const auto w = static_cast<float>(kTaps + 1 - std::abs(tap)) / ((kTaps + 1) * (kTaps + 1));
    for (size_t g = 0; g < kMouthGroups; ++g) pose[g] += w * p[g];
  }
  contacts_.Draw(t_s, pose);
  for (float& w : pose) w = std::clamp(w, 0.0f, 1.0f);
  return pose;
}

}  // namespace posewire::speech
