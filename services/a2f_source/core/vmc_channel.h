// One animated value of a performer: a rotation, a position or a weight that arrives in samples.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CHANNEL_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CHANNEL_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "libs/skel/math.h"

namespace posewire::a2f_source {

// Arithmetic of a kind of value.
struct RotationKind {
  using Value = skel::Quat;
  using Change = skel::Vec3;
  static constexpr float kMost_s = 18;  // radians per second; the maximum speed of the output
  static Change Difference(Value from, Value to) {
    return skel::Log(skel::Mul(to, skel::Conjugate(from)));
  }
  static Value Plus(Value value, Change change) {
    return skel::Normalized(skel::Mul(skel::Exp(change), value));
  }
  static float Size(Change change) { return skel::Length(change); }
};
struct PlaceKind {
  using Value = skel::Vec3;
  using Change = skel::Vec3;
  static constexpr float kMost_s = 10;  // metres per second
  static Change Difference(Value from, Value to) { return to - from; }
  static Value Plus(Value value, Change change) { return value + change; }
  static float Size(Change change) { return skel::Length(change); }
};
struct WeightKind {
  using Value = float;
  using Change = float;
  static constexpr float kMost_s = 14;  // per second
  static Change Difference(Value from, Value to) { return to - from; }
  static Value Plus(Value value, Change change) { return value + change; }
  static float Size(Change change) { return std::fabs(change); }
};

inline constexpr double kExtrapolate_s = 0.05;

// Whether a sample has its sender's time, or only its arrival time, in which case samples may be
// arbitrarily out of order.
enum class Stamp { kSender, kArrival };

// Samples carry the sender's times and may come in any order. The output is delayed by one period
// of the sender (at most 40 ms), so that normally it interpolates from sample to sample. If the
// next sample is late, the value is extrapolated at its own speed for at most kExtrapolate_s,
// slowing down towards the end. After that it returns to the newest sample within about 0.3 s, and
// holds. If a sample shows that the extrapolation was wrong, the difference is eased out over about
// 30 ms (60 ms if only arrival times are known). Nothing moves faster than kMost_s. One thread; no
// allocation.
template <typename Kind>
class VmcChannel {
 public:
  using Value = typename Kind::Value;
  using Change = typename Kind::Change;

  // `now_s` is the sender's time at arrival; `sent_s` is the sample's own.
  void Add(double sent_s, double now_s, Value value, Stamp stamp) {
    stamp_ = stamp;
    const double raw_s = sent_s;
    if (count_ > 0 && stamp == Stamp::kArrival) Even(sent_s, value);
    const double period_s = std::min(raw_s - raw_newest_s_, kMostDelay_s);
    if (raw_s > raw_newest_s_) raw_newest_s_ = raw_s;
    if (count_ == 0) {
      Insert(sent_s, value);
      return;
    }
    const Value before = Guess(now_s);
    if (!Insert(sent_s, value)) return;
    LetGo(now_s);
    error_ = Kind::Difference(Guess(now_s), Kind::Plus(before, error_));
    if (period_s <= 0) return;
    delay_s_ = delay_s_ < 0 ? period_s : delay_s_ + 0.05 * (period_s - delay_s_);
  }

  bool any() const { return count_ > 0; }
  double newest_s() const { return samples_[0].sent_s; }
  Value newest() const { return samples_[0].value; }

  // Returns the value shown at the sender's time `now_s`, which must not go back by much.
  Value At(double now_s) {
    LetGo(now_s);
    const Value target = Kind::Plus(Guess(now_s), error_);
    const double passed_s = now_s - shown_s_;
    shown_s_ = now_s;
    if (!std::exchange(any_shown_, true) || passed_s > kForget_s) return shown_ = target;
    const Change step = Kind::Difference(shown_, target);
    const float size = Kind::Size(step);
    const float most = Kind::kMost_s * static_cast<float>(std::max(passed_s, 0.0));
    return shown_ = size <= most ? target : Kind::Plus(shown_, step * (most / size));
  }

  // Keeps the value shown, but no times: the sender's clock has restarted.
  void Restart(double now_s) {
    if (count_ == 0) return;
    samples_[0].sent_s = raw_newest_s_ = now_s;
    count_ = 1;
    error_ = any_shown_ ? Kind::Difference(samples_[0].value, shown_) : Change{};
    eased_s_ = shown_s_ = now_s;
  }

 private:
  static constexpr double kMostDelay_s = 0.04;
  static constexpr double kForget_s = 0.25;  // a value that was not shown for this long may jump

  struct Sample {
    double sent_s = 0;
    Value value{};
  };

  // Keeps the newest samples, newest first. Returns false for a sample older than all of them.
  bool Insert(double sent_s, Value value) {
    size_t at = 0;
    while (at < count_ && samples_[at].sent_s > sent_s) ++at;
    if (at < count_ && samples_[at].sent_s == sent_s) {
      samples_[at].value = value;
      return true;
    }
    if (at == samples_.size()) return false;
    if (count_ < samples_.size()) ++count_;
    for (size_t i = count_ - 1; i > at; --i) samples_[i] = samples_[i - 1];
    samples_[at] = {sent_s, value};
    return true;
  }

  // Evens out arrivals: the network delays them irregularly and may reorder them although the
  // sender sent evenly. The stronger the jitter, the more a sample is averaged with the one before.
  void Even(double& arrived_s, Value& value) {
    constexpr double kGap_s = 0.1, kPull = 0.15, kCalm_s = 0.01;
    if (delay_s_ < 0) return;
    const double due_s = samples_[0].sent_s + delay_s_;
    const double off_s = arrived_s - due_s;
    if (off_s > kGap_s) return;
    arrived_s = due_s + kPull * off_s;
    jitter_s_ += 0.05 * (std::fabs(off_s) - jitter_s_);
    const auto share = static_cast<float>(kCalm_s / (kCalm_s + jitter_s_));
    const Value& newest = samples_[0].value;
    value = Kind::Plus(newest, Kind::Difference(newest, value) * share);
  }

  Value Guess(double now_s) const {
    const double at_s = now_s - std::max(delay_s_, 0.0);
    if (at_s >= samples_[0].sent_s) return Beyond(at_s - samples_[0].sent_s);
    size_t after = 0;
    while (after + 1 < count_ && samples_[after + 1].sent_s > at_s) ++after;
    if (after + 1 == count_) return samples_[after].value;
    const Sample &from = samples_[after + 1], &to = samples_[after];
    const auto share = static_cast<float>((at_s - from.sent_s) / (to.sent_s - from.sent_s));
    return Kind::Plus(from.value, Kind::Difference(from.value, to.value) * share);
  }

  // Returns the value `late_s` after the newest sample.
  Value Beyond(double late_s) const {
    constexpr double kTooOld_s = 0.12, kFull_s = 0.03, kBack_s = 0.3;
    const double window_s = stamp_ == Stamp::kSender ? 0.025 : 0.045;
    const Sample& newest = samples_[0];
    // Uses an older sample, because two that are close together give no usable speed.
    const Sample* before = nullptr;
    for (size_t i = 1; i < count_; ++i) {
      const double age_s = newest.sent_s - samples_[i].sent_s;
      if (age_s > kTooOld_s) break;
      before = &samples_[i];
      if (age_s >= window_s) break;
    }
    if (before == nullptr || newest.sent_s - before->sent_s < 0.005) return newest.value;
    const double span_s = newest.sent_s - before->sent_s;
    const Change moved = Kind::Difference(before->value, newest.value);
    if (Kind::Size(moved) > Kind::kMost_s * span_s) return newest.value;
    const double ahead_s = std::min(late_s, kExtrapolate_s);
    const double slow_s = std::max(0.0, ahead_s - kFull_s);
    const double back = std::clamp((late_s - kExtrapolate_s) / kBack_s, 0.0, 1.0);
    const double far_s = (ahead_s - slow_s * slow_s / (2 * (kExtrapolate_s - kFull_s))) *
                         (1 - back * back * (3 - 2 * back));
    return Kind::Plus(newest.value, moved * static_cast<float>(far_s / span_s));
  }

  void LetGo(double now_s) {
    const double decay_s = stamp_ == Stamp::kSender ? 0.03 : 0.06;
    const double passed_s = now_s - eased_s_;
    if (passed_s <= 0) {
      // The estimate of the sender's clock may go back a little.
      if (passed_s < -1) eased_s_ = now_s;
      return;
    }
    eased_s_ = now_s;
    if (Kind::Size(error_) == 0) return;
    error_ = error_ * static_cast<float>(std::exp(-passed_s / decay_s));
    if (Kind::Size(error_) < 1e-7f) error_ = {};
  }

  std::array<Sample, 6> samples_;  // newest first
  size_t count_ = 0;
  Stamp stamp_ = Stamp::kArrival;
  Change error_{};
  double eased_s_ = 0;
  double raw_newest_s_ = 0;
  double jitter_s_ = 0;  // of arrivals
  double delay_s_ = -1;  // the sender's period; below 0: unknown
  Value shown_{};
  double shown_s_ = 0;
  bool any_shown_ = false;
};

using RotationChannel = VmcChannel<RotationKind>;
using PlaceChannel = VmcChannel<PlaceKind>;
using WeightChannel = VmcChannel<WeightKind>;

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CHANNEL_H_
