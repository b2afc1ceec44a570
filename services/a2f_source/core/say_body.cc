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

// How head and neck share a turn.
constexpr float kShare[kHeadJoints] = {0.25f, 0.3f, 0.45f};

Quat About(float x, float y, float z, float degrees) {
  return FromAxisAngle({x, y, z}, degrees * kDeg);
}

}  // namespace

absl::Span<const absl::string_view> BodyJointNames() { return kNames; }

void PoseHead(const speech::HeadAngles& head, absl::Span<Quat> joints) {
  for (size_t j = 0; j < kHeadJoints; ++j) {
    const float share = kShare[j];
    joints[j] =
        Mul(Mul(About(0, 1, 0, head.yaw_deg * share), About(1, 0, 0, head.pitch_deg * share)),
            About(0, 0, 1, head.roll_deg * share));
  }
}

BodyTrack::BodyTrack(uint64_t seed, ArmPoser arms)
    : random_(seed), arms_(std::move(arms)), head_(random_) {
  next_arm_ = random_.Uniform() < 0.5f ? 0 : 1;
}

void BodyTrack::Add(const speech::Phrase& phrase) {
  head_.Add(phrase, random_);
  PlanHands(phrase);
}

void BodyTrack::Finish(double end_s) {
  end_s_ = end_s;
  head_.Finish(end_s);
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
  for (auto& units : units_) {
    while (!units.empty() && units.front().to_s + 0.2 < t_s) units.pop_front();
  }
  const speech::HeadAngles head = head_.At(t_s);
  look_ = head.look();
  PoseHead(head, absl::MakeSpan(out));

  const float at_rest = 1 - speech::EaseInOut(t_s, end_s_ - kRest_s, end_s_);
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
