// One moving value of a performer: a rotation, a place or a weight that arrives in samples.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CHANNEL_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CHANNEL_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "libs/skel/math.h"

namespace posewire::a2f_source {

// How a channel reckons with differences of its kind.
struct RotationKind {
  using Value = skel::Quat;
  using Change = skel::Vec3;
  static constexpr float kMost_s = 20;     // radians a second; faster is a glitch
  static constexpr float kEase_s = 13.5f;  // radians a second at which a correction is let go
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
  static constexpr float kMost_s = 10;  // metres a second
  static constexpr float kEase_s = 5;
  static Change Difference(Value from, Value to) { return to - from; }
  static Value Plus(Value value, Change change) { return value + change; }
  static float Size(Change change) { return skel::Length(change); }
};
struct WeightKind {
  using Value = float;
  using Change = float;
  static constexpr float kMost_s = 15;  // a second
  static constexpr float kEase_s = 12;
  static Change Difference(Value from, Value to) { return to - from; }
  static Value Plus(Value value, Change change) { return value + change; }
  static float Size(Change change) { return std::fabs(change); }
};

inline constexpr double kExtrapolate_s = 0.05;

// Whether a sample came with its sender's time, or only its arrival is known: then it may be out of
// order by as much as the network pleases.
enum class Stamp { kSender, kArrival };

// Samples carry the sender's times and may come in any order. The value at a time is the newest
// sample, carried on with its own speed for at most kExtrapolate_s, slowing down towards the end;
// when nothing newer comes then, it goes to the newest sample within some 0.3 s, and holds. Where a
// sample shows that the guess was wrong, the value does not jump: the difference is let go over
// some 30 ms (60 ms where only arrivals are known), no faster than kEase_s. One thread; no
// allocation.
template <typename Kind>
class VmcChannel {
 public:
  using Value = typename Kind::Value;
  using Change = typename Kind::Change;

  // `now_s` is the sender's time when the sample came; `sent_s` is the sample's own.
  void Add(double sent_s, double now_s, Value value, Stamp stamp) {
    stamp_ = stamp;
    const bool first = count_ == 0;
    const Value before = first ? value : Guess(now_s);
    if (!Insert(sent_s, value)) return;
    if (first) return;
    LetGo(now_s);
    error_ = Kind::Difference(Guess(now_s), Kind::Plus(before, error_));
  }

  bool any() const { return count_ > 0; }
  double newest_s() const { return samples_[0].sent_s; }
  Value newest() const { return samples_[0].value; }

  // The value shown at the sender's time `now_s`, which never goes back by much.
  Value At(double now_s) {
    LetGo(now_s);
    return Kind::Plus(Guess(now_s), error_);
  }

  // Keeps what is shown, but none of the times: the sender counts anew.
  void Restart(double now_s) {
    if (count_ == 0) return;
    samples_[0] = {now_s, At(now_s)};
    count_ = 1;
    error_ = {};
    eased_s_ = now_s;
  }

 private:
  struct Sample {
    double sent_s = 0;
    Value value{};
  };

  // Keeps the newest samples, newest first; false for one that is older than them all.
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

  Value Guess(double now_s) const {
    constexpr double kTooOld_s = 0.12, kFull_s = 0.03, kBack_s = 0.3;
    const double window_s = stamp_ == Stamp::kSender ? 0.025 : 0.045;
    const Sample& newest = samples_[0];
    const double age_now_s = std::max(0.0, now_s - newest.sent_s);
    const double ahead_s = std::min(age_now_s, kExtrapolate_s);
    // A sample some way back: two that lie close together tell no speed.
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
    const double back = std::clamp((age_now_s - kExtrapolate_s) / kBack_s, 0.0, 1.0);
    const double slow_s = std::max(0.0, ahead_s - kFull_s);
    const double far_s = (ahead_s - slow_s * slow_s / (2 * (kExtrapolate_s - kFull_s))) *
                         (1 - back * back * (3 - 2 * back));
    return Kind::Plus(newest.value, moved * static_cast<float>(far_s / span_s));
  }

  void LetGo(double now_s) {
    const double decay_s = stamp_ == Stamp::kSender ? 0.03 : 0.06;
    const double passed_s = now_s - eased_s_;
    if (passed_s <= 0) {
      // The reckoning of the sender's clock may step back a little.
      if (passed_s < -1) eased_s_ = now_s;
      return;
    }
    eased_s_ = now_s;
    const float size = Kind::Size(error_);
    if (size == 0) return;
    const auto share = static_cast<float>(1 - std::exp(-passed_s / decay_s));
    const float less = std::min(size * share, Kind::kEase_s * static_cast<float>(passed_s));
    error_ = error_ * (1 - less / size);
    if (Kind::Size(error_) < 1e-7f) error_ = {};
  }

  std::array<Sample, 6> samples_;  // newest first
  size_t count_ = 0;
  Stamp stamp_ = Stamp::kArrival;
  Change error_{};
  double eased_s_ = 0;
};

using RotationChannel = VmcChannel<RotationKind>;
using PlaceChannel = VmcChannel<PlaceKind>;
using WeightChannel = VmcChannel<WeightKind>;

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CHANNEL_H_
