#include "tests/bench/motion/habit_measures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace posewire {
namespace {

using skel::HumanBone;
using skel::Quat;
using skel::Vec3;

constexpr float kPoses_hz = 30, kDegrees = 57.29578f;
constexpr float kFrozen_m_s = 0.01f;
// A hand is at home so near to its most frequent place, and away from there on.
constexpr float kHome_m = 0.05f, kAway_m = 0.15f;
// One that is away and slow is held.
constexpr float kHeld_m_s = 0.12f;
constexpr float kStep_m = 0.01f;

template <typename T>
double Median(std::vector<T> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

}  // namespace

MotionHabits::MotionHabits(std::shared_ptr<const skel::Rig> rig) : rig_(std::move(rig)) {}

void MotionHabits::Add(const skel::PoseView& pose) {
  const skel::Humanoid& human = rig_->humanoid();
  const auto place = [&](HumanBone bone) { return PlaceOf(*rig_, pose, human.joint(bone)); };
  const skel::Placement chest = place(HumanBone::kChest);
  const auto seen = [&](Vec3 at) { return Rotate(Conjugate(chest.turn), at - chest.at); };
  constexpr std::array<std::array<HumanBone, 6>, 2> kSides{
      {{HumanBone::kLeftUpperArm, HumanBone::kLeftLowerArm, HumanBone::kLeftHand,
        HumanBone::kLeftIndexProximal, HumanBone::kLeftRingProximal, HumanBone::kLeftFoot},
       {HumanBone::kRightUpperArm, HumanBone::kRightLowerArm, HumanBone::kRightHand,
        HumanBone::kRightIndexProximal, HumanBone::kRightRingProximal, HumanBone::kRightFoot}}};
  Frame f;
  const skel::Placement hips = place(HumanBone::kHips);
  f.hips_m = hips.at.x;
  f.lower_m = 10;
  for (size_t side = 0; side < 2; ++side) {
    const auto& bones = kSides[side];
    const skel::Placement hand = place(bones[2]);
    f.wrist[side] = seen(hand.at);
    const float out = seen(place(bones[1]).at).x - seen(place(bones[0]).at).x;
    f.elbow_m[side] = side == 0 ? out : -out;
    f.ankle_m[side] = place(bones[5]).at.y;
    f.lower_m = std::min(f.lower_m, hand.at.y - hips.at.y);
    f.hand_deg_s[side] = f.fingers_deg_s[side] = 0;
    if (!frames_.empty()) {
      const auto turned = [&](HumanBone bone) {
        const int j = human.joint(bone);
        return AngleBetween(last_.view().rotation(j), pose.rotation(j)) * kDegrees * kPoses_hz;
      };
      f.hand_deg_s[side] = turned(bones[2]);
      f.fingers_deg_s[side] = std::max(turned(bones[3]), turned(bones[4]));
    }
  }
  frames_.push_back(f);
  last_ = skel::Pose(pose.joints, pose.shapes);
  last_.span().CopyFrom(pose);
}

MotionHabits::Numbers MotionHabits::Count() const {
  Numbers n;
  if (frames_.size() < 2) return n;
  n.minutes = static_cast<double>(frames_.size()) / kPoses_hz / 60;
  std::array<Vec3, 2> home;
  std::vector<float> elbows, lower, holds, fingers;
  for (size_t side = 0; side < 2; ++side) {
    std::array<std::vector<float>, 3> axes;
    for (const Frame& f : frames_) {
      axes[0].push_back(f.wrist[side].x), axes[1].push_back(f.wrist[side].y);
      axes[2].push_back(f.wrist[side].z);
      elbows.push_back(f.elbow_m[side]);
    }
    home[side] = {static_cast<float>(Median(axes[0])), static_cast<float>(Median(axes[1])),
                  static_cast<float>(Median(axes[2]))};
  }
  bool away = false;
  std::array<bool, 2> up{};
  float left = 1e9f, right = -1e9f, ground = 1e9f;
  for (const Frame& f : frames_) ground = std::min({ground, f.ankle_m[0], f.ankle_m[1]});
  int frozen = 0, homes = 0, steps = 0;
  for (size_t i = 1; i < frames_.size(); ++i) {
    const Frame &f = frames_[i], &before = frames_[i - 1];
    lower.push_back(f.lower_m);
    left = std::min(left, f.hips_m), right = std::max(right, f.hips_m);
    float farthest = 0, fastest = 0;
    for (size_t side = 0; side < 2; ++side) {
      const float far = Length(f.wrist[side] - home[side]);
      const float speed = Length(f.wrist[side] - before.wrist[side]) * kPoses_hz;
      farthest = std::max(farthest, far), fastest = std::max(fastest, speed);
      if (far > kAway_m && speed < kHeld_m_s) {
        holds.push_back(f.hand_deg_s[side]), fingers.push_back(f.fingers_deg_s[side]);
      }
      const bool now = f.ankle_m[side] > ground + kStep_m + (up[side] ? -0.004f : 0.0f);
      steps += now && !up[side];
      up[side] = now;
    }
    frozen += fastest < kFrozen_m_s;
    homes += away && farthest < kHome_m;
    if (farthest > kAway_m) away = true;
    if (farthest < kHome_m) away = false;
  }
  n.elbow_m = Median(elbows), n.hands_up_m = Median(lower);
  n.home_a_minute = homes / n.minutes, n.steps_a_minute = steps / n.minutes;
  n.frozen = static_cast<double>(frozen) / static_cast<double>(frames_.size() - 1);
  n.hold_deg_s = Median(holds), n.fingers_deg_s = Median(fingers);
  n.hips_m = right - left;
  return n;
}

void MotionHabits::Numbers::Add(const Numbers& other, double share) {
  minutes += other.minutes;
  elbow_m += share * other.elbow_m, hands_up_m += share * other.hands_up_m;
  home_a_minute += share * other.home_a_minute, frozen += share * other.frozen;
  hold_deg_s += share * other.hold_deg_s, fingers_deg_s += share * other.fingers_deg_s;
  hips_m += share * other.hips_m, steps_a_minute += share * other.steps_a_minute;
}

void MotionHabits::PrintHead() {
  std::printf(
      "\nHabits\n\n"
      "| | elbow out cm | lower hand above the hips cm | both hands home a minute | frozen %% | "
      "held hand turns deg/s | its fingers deg/s | hips cm | steps a minute |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

void MotionHabits::PrintRow(const std::string& name, const Numbers& n) {
  std::printf("| %s | %.1f | %.0f | %.1f | %.0f | %.0f | %.0f | %.1f | %.1f |\n", name.c_str(),
              100 * n.elbow_m, 100 * n.hands_up_m, n.home_a_minute, 100 * n.frozen, n.hold_deg_s,
              n.fingers_deg_s, 100 * n.hips_m, n.steps_a_minute);
}

}  // namespace posewire
