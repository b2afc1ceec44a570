#include "libs/speech/mark_lag.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "libs/speech/hearing.h"
#include "libs/speech/sound_mouth.h"

namespace posewire::speech {
namespace {

constexpr double kFarthest_s = 0.2;
constexpr size_t kKept = 200;

// Returns the middles of the lip closures, in order.
std::vector<double> HeardClosures(std::shared_ptr<const SpeechNetwork> network,
                                  const SpeechPiece& piece) {
  Hearing hearing(std::move(network), piece.rate_hz);
  hearing.Add(piece.samples);
  std::vector<double> middles;
  const double length_s = piece.duration_s();
  std::optional<double> since_s;
  for (;;) {
    const HeardStep* step = hearing.Next(/*pad=*/true);
    if (step->frame == nullptr) continue;
    const double at_s = static_cast<double>(step->index) * kHop_s;
    if (at_s > length_s) return middles;
    if (!since_s && step->frame->bilabial > kBilabial.begins) since_s = at_s;
    if (since_s && step->frame->bilabial < kBilabial.ends) {
      middles.push_back((*since_s + at_s) / 2);
      since_s.reset();
    }
  }
}

std::vector<double> MarkedClosures(const SpeechPiece& piece) {
  std::vector<double> middles;
  for (const Phoneme& phoneme : piece.phonemes) {
    if (FindVisemes(phoneme.phone, piece.phone_set).first->contact == LipContact::kBothLips) {
      middles.push_back((phoneme.start_s + phoneme.end_s) / 2);
    }
  }
  return middles;
}

double NearestTo(double t_s, const std::vector<double>& times_s) {
  const auto behind = std::lower_bound(times_s.begin(), times_s.end(), t_s);
  if (behind == times_s.begin()) return *behind;
  if (behind == times_s.end() || t_s - *(behind - 1) < *behind - t_s) return *(behind - 1);
  return *behind;
}

struct Measured {
  std::unique_ptr<Voice> voice;
  std::shared_ptr<MarkLag> lag;
  std::atomic<bool> told = false;
};

class MeasuredRun : public SpeechRun {
 public:
  MeasuredRun(Measured& shared, std::unique_ptr<SpeechRun> run)
      : shared_(shared), run_(std::move(run)) {
    const double lag_s = shared_.lag->lag_s().value_or(0);
    if (std::abs(lag_s) > MarkLag::kMost_s) late_s_ = lag_s;
  }

  absl::StatusOr<bool> Read(SpeechPart& part) override {
    const absl::StatusOr<bool> more = run_->Read(part);
    if (!more.ok()) return more;
    if (!*more) {
      if (!whole_.phonemes.empty() && whole_.rate_hz > 0) shared_.lag->Measure(whole_);
      return false;
    }
    Append(part, whole_);
    if (late_s_ != 0) Move(part);
    return true;
  }

  void Cancel() override { run_->Cancel(); }

 private:
  void Move(SpeechPart& part) {
    const auto move = [&](double& t_s) { t_s = std::max(0.0, t_s - late_s_); };
    for (Phoneme& phoneme : part.phonemes) move(phoneme.start_s), move(phoneme.end_s);
    for (Word& word : part.words) move(word.start_s), move(word.end_s), move(word.beat_s);
    if (part.phonemes.empty() || shared_.told.exchange(true)) return;
    part.notes.push_back(absl::StrFormat(
        "voice: its times are %.0f ms %s against its sound, by what is heard; they are moved "
        "(--voice-marks always leaves them alone)",
        1000 * std::abs(late_s_), late_s_ > 0 ? "late" : "early"));
  }

  Measured& shared_;
  const std::unique_ptr<SpeechRun> run_;
  double late_s_ = 0;
  SpeechPiece whole_;
};

class MeasuredVoice : public Voice {
 public:
  MeasuredVoice(std::unique_ptr<Voice> voice, std::shared_ptr<MarkLag> lag) {
    shared_.voice = std::move(voice);
    shared_.lag = std::move(lag);
  }
  absl::StatusOr<std::unique_ptr<SpeechRun>> Begin(const SpeechRequest& request) override {
    auto run = shared_.voice->Begin(request);
    if (!run.ok()) return run;
    return std::make_unique<MeasuredRun>(shared_, *std::move(run));
  }

 private:
  Measured shared_;
};

}  // namespace

void MarkLag::Measure(const SpeechPiece& piece) {
  const std::vector<double> marked = MarkedClosures(piece);
  if (marked.empty()) return;
  const std::vector<double> heard = HeardClosures(network_, piece);
  if (heard.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const double mark_s : marked) {
    const double heard_s = NearestTo(mark_s, heard);
    // Uses only pairs in which each is the other's nearest: ignores closures that were not heard.
    if (NearestTo(heard_s, marked) != mark_s || std::abs(heard_s - mark_s) > kFarthest_s) continue;
    found_s_.push_back(mark_s - heard_s);
    if (found_s_.size() > kKept) found_s_.pop_front();
  }
}

std::optional<double> MarkLag::lag_s() const {
  const std::lock_guard lock(mutex_);
  if (found_s_.size() < kLeast) return std::nullopt;
  std::vector<double> sorted(found_s_.begin(), found_s_.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

std::unique_ptr<Voice> WithoutLag(std::unique_ptr<Voice> voice, std::shared_ptr<MarkLag> lag) {
  return std::make_unique<MeasuredVoice>(std::move(voice), std::move(lag));
}

}  // namespace posewire::speech
