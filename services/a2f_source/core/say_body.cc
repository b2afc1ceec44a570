#include "services/a2f_source/core/say_body.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace posewire::a2f_source {
namespace {

using skel::FromAxisAngle;
using skel::Mul;
using skel::Quat;

constexpr absl::string_view kNames[] = {"vc7",        "vc4",     "skullbase",
                                        "l_shoulder", "l_elbow", "l_wrist",
                                        "r_shoulder", "r_elbow", "r_wrist"};
static_assert(std::size(kNames) == kBodyJoints);

constexpr double kRest_s = 0.6;  // how long coming to rest takes
constexpr float kDeg = 0.01745329252f;
constexpr double kTwoPi = 6.283185307179586;

// How head and neck share a turn.
constexpr float kShare[kHeadJoints] = {0.25f, 0.3f, 0.45f};

Quat About(float x, float y, float z, float degrees) {
  return FromAxisAngle({x, y, z}, degrees * kDeg);
}

Quat HeadTurn(float pitch_deg, float yaw_deg, float roll_deg, float share) {
  return Mul(Mul(About(0, 1, 0, yaw_deg * share), About(1, 0, 0, pitch_deg * share)),
             About(0, 0, 1, roll_deg * share));
}

}  // namespace

absl::Span<const absl::string_view> BodyJointNames() { return kNames; }

BodyTrack::BodyTrack(uint64_t seed, ArmPoser arms) : random_(seed), arms_(std::move(arms)) {
  for (double& p : phase_) p = random_.Uniform() * kTwoPi;
  next_arm_ = random_.Uniform() < 0.5f ? 0 : 1;
}

void BodyTrack::Add(const speech::Phrase& phrase) {
  PlanHead(phrase);
  PlanHands(phrase);
}

void BodyTrack::Finish(double end_s) { end_s_ = end_s; }

void BodyTrack::PlanHead(const speech::Phrase& phrase) {
  turn_.MoveTo(phrase.speech_start_s - 0.1, 0.55, random_.Uniform(-2.5f, 2.5f));
  double last_s = phrase.start_s - 1;
  for (const speech::Word& w : phrase.words) {
    if (speech::IsNegation(w.text) && w.start_s > shake_free_s_) {
      const double to_s = std::max(w.end_s, w.start_s + 0.5) + 0.35;
      shakes_.push_back({w.start_s - 0.12, to_s, random_.Uniform(4.0f, 6.0f)});
      shake_free_s_ = to_s;
    }
    const float dice = random_.Uniform();
    if (!w.accented || dice > 0.65f || w.beat_s - last_s < 0.45) continue;
    const float size = random_.Uniform(3.0f, 6.2f);
    nods_.Add({w.beat_s - 0.32, w.beat_s - 0.18, w.beat_s - 0.18, w.beat_s, -0.25f * size});
    nods_.Add({w.beat_s - 0.18, w.beat_s + 0.03, w.beat_s + 0.05, w.beat_s + 0.42, size});
    last_s = w.beat_s;
  }
  const double end_s = phrase.speech_end_s;
  if (phrase.ending == speech::SpeechEnding::kQuestion) {
    const double from_s = std::max(end_s - 0.8, phrase.speech_start_s - 0.1);
    tilts_.Add({from_s, from_s + 0.45, end_s + 0.2, end_s + 0.8, 4.5f * tilt_side_});
    nods_.Add({from_s, from_s + 0.45, end_s + 0.15, end_s + 0.7, -2.5f});
    tilt_side_ = -tilt_side_;
  } else if (speech::EndsSentence(phrase.ending) && end_s - last_s > 0.5) {
    nods_.Add({end_s - 0.25, end_s, end_s + 0.05, end_s + 0.55, 2.4f});
  }
}

void BodyTrack::AddUnit(int arm, const speech::Phrase& phrase, absl::Span<const double> beats_s) {
  const auto a = static_cast<size_t>(arm);
  Unit unit;
  unit.from_s = std::max({beats_s.front() - 0.62, phrase.start_s - 0.25, arm_free_s_[a]});
  unit.up_s = std::max(beats_s.front() - 0.08, unit.from_s + 0.34);
  unit.down_s = beats_s.back() + random_.Uniform(0.3f, 0.55f);
  unit.down_s = std::max(unit.down_s, unit.up_s + 0.15);
  unit.to_s = unit.down_s + random_.Uniform(0.7f, 0.95f);
  unit.size = random_.Uniform(0.75f, 1.0f);
  unit.offer = random_.Uniform();
  for (const double beat_s : beats_s) {
    const double t = std::max(beat_s, unit.up_s);
    const float size = random_.Uniform(0.75f, 1.0f);
    unit.strokes.push_back({t - 0.3, t - 0.12, t - 0.12, t + 0.03, -0.35f * size});
    unit.strokes.push_back({t - 0.12, t + 0.04, t + 0.06, t + 0.4, size});
  }
  arm_free_s_[a] = unit.to_s;
  units_[a].push_back(std::move(unit));
}

void BodyTrack::PlanHands(const speech::Phrase& phrase) {
  std::vector<double> accents_s;
  for (const speech::Word& w : phrase.words) {
    const bool apart = accents_s.empty() || w.beat_s - accents_s.back() > 0.42;
    if (w.accented && apart) accents_s.push_back(w.beat_s);
  }
  if (phrase.words.size() < 3 || accents_s.empty()) return;
  if (accents_s.size() > 1 && accents_s.front() - phrase.start_s < 0.4) {
    accents_s.erase(accents_s.begin());
  }
  // Now and then the hands sit a beat out, but never for long.
  const bool idle_long = phrase.start_s - std::max(arm_free_s_[0], arm_free_s_[1]) > 2;
  const bool sits_out = random_.Uniform() < 0.2f && !idle_long;
  double rest_until_s = phrase.start_s + (sits_out ? 1.5 : 0.0);
  for (size_t i = 0; i < accents_s.size();) {
    const auto arm = static_cast<size_t>(next_arm_);
    if (accents_s[i] < std::max(rest_until_s, arm_free_s_[arm] + 0.4)) {
      ++i;
      continue;
    }
    const size_t most = 1 + static_cast<size_t>(random_.Uniform() * 2.99f);
    size_t n = 1;
    while (n < most && i + n < accents_s.size() && accents_s[i + n] - accents_s[i] < 2.2) ++n;
    const absl::Span<const double> beats_s(&accents_s[i], n);
    AddUnit(next_arm_, phrase, beats_s);
    const bool both =
        random_.Uniform() < 0.5f && phrase.ending == speech::SpeechEnding::kExclamation;
    if (both && arm_free_s_[1 - arm] < beats_s.front() - 0.6)
      AddUnit(1 - next_arm_, phrase, beats_s);
    next_arm_ = 1 - next_arm_;
    rest_until_s = units_[arm].back().to_s + random_.Uniform(0.0f, 0.9f);
    i += n;
  }
}

ArmBeat BodyTrack::BeatAt(const std::deque<Unit>& units, double t_s) const {
  ArmBeat beat;
  const auto stroke_at = [](const Unit& u, double t) {
    float sum = 0;
    for (const speech::Pulse& p : u.strokes) sum += p.At(t);
    return u.size * std::clamp(sum, -0.5f, 1.0f);
  };
  for (const Unit& u : units) {
    if (u.from_s > t_s) break;
    // Units of one arm do not overlap; only the hand's lag reaches past the end.
    const float raise = u.size * speech::Bump(t_s, u.from_s, u.up_s, u.down_s, u.to_s);
    if (raise > 0) {
      beat.raise = raise;
      beat.offer = u.offer;
    }
    beat.stroke += stroke_at(u, t_s);
    beat.follow += stroke_at(u, t_s - 0.06);
  }
  return beat;
}

void BodyTrack::At(double t_s, BodyPose& out) {
  nods_.DropBefore(t_s);
  tilts_.DropBefore(t_s);
  turn_.DropBefore(t_s);
  while (!shakes_.empty() && shakes_.front().to_s < t_s) shakes_.pop_front();
  for (auto& units : units_) {
    while (!units.empty() && units.front().to_s + 0.2 < t_s) units.pop_front();
  }

  const float at_rest = 1 - speech::EaseInOut(t_s, end_s_ - kRest_s, end_s_);
  const float presence = speech::EaseInOut(t_s, 0, 0.7) * at_rest;
  // Slow sways of unrelated lengths, so that the head is never still and never repeats.
  const auto sway = [&](size_t i, double hz) {
    return static_cast<float>(std::sin(kTwoPi * hz * t_s + phase_[i]));
  };
  float yaw = turn_.At(t_s) + 1.3f * sway(0, 0.17) + 0.7f * sway(1, 0.41);
  float pitch = 0.9f * sway(2, 0.23) + 0.5f * sway(3, 0.53) + nods_.Sum(t_s);
  float roll = 0.9f * sway(4, 0.19) + 0.4f * sway(5, 0.37) + tilts_.Sum(t_s);
  for (const Shake& s : shakes_) {
    const double x = (t_s - s.from_s) / (s.to_s - s.from_s);
    if (x <= 0 || x >= 1) continue;
    const auto window = static_cast<float>(std::sin(x * kTwoPi / 2));
    yaw +=
        s.amount * window * window * static_cast<float>(std::sin(kTwoPi * 2.1 * (t_s - s.from_s)));
  }
  yaw *= presence;
  pitch *= presence;
  roll *= presence;
  look_ = {yaw * kDeg, pitch * kDeg};
  for (size_t j = 0; j < kHeadJoints; ++j) out[j] = HeadTurn(pitch, yaw, roll, kShare[j]);

  for (size_t arm = 0; arm < 2; ++arm) {
    ArmBeat beat = BeatAt(units_[arm], t_s);
    beat.raise *= at_rest;
    beat.stroke *= at_rest;
    beat.follow *= at_rest;
    const std::array<Quat, 3> arm_pose =
        arms_.Pose(beat, arm == 0 ? gesture::Side::kLeft : gesture::Side::kRight);
    std::copy(arm_pose.begin(), arm_pose.end(),
              out.begin() + static_cast<std::ptrdiff_t>(kHeadJoints + 3 * arm));
  }
}

}  // namespace posewire::a2f_source
