#include "libs/gesture/cycle.h"

#include <algorithm>
#include <cmath>

#include "libs/gesture/neutral_stance.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::gesture {
namespace {

using skel::Vec3;

constexpr double kTwoPi = 6.283185307179586;

// Zero slope at both ends, and no step in acceleration.
double Ease(double u) {
  u = std::clamp(u, 0.0, 1.0);
  return u * u * u * (10 + u * (6 * u - 15));
}

double Part(const Visit& v, double t_s, double period_s) {
  const double t = v.t0_s + std::fmod(t_s - v.t0_s + 2 * period_s, period_s);
  if (t >= v.t3_s) return 0;
  if (t > v.t2_s) return 1 - Ease((t - v.t2_s) / (v.t3_s - v.t2_s));
  if (t < v.t1_s) return Ease((t - v.t0_s) / (v.t1_s - v.t0_s));
  return 1;
}

template <size_t N>
bool Used(const std::array<CyclicChannel, N>& channels) {
  return std::any_of(channels.begin(), channels.end(),
                     [](const CyclicChannel& c) { return c.used(); });
}

std::array<float, 3> Axes(Vec3 v) { return {v.x, v.y, v.z}; }

}  // namespace

void CyclicChannel::Swing(float amount, int times, double phase) {
  used_ = true;
  if (amount != 0) sines_.push_back({amount, times, phase});
}

void CyclicChannel::Go(float amount, const Visit& visit) {
  used_ = true;
  if (amount != 0) visits_.emplace_back(amount, visit);
}

float CyclicChannel::At(double t_s, double period_s) const {
  double v = base_;
  for (const Sine& s : sines_) {
    v += s.amount * std::sin(kTwoPi * (s.times * t_s / period_s + s.phase));
  }
  for (const auto& [amount, visit] : visits_) v += amount * Part(visit, t_s, period_s);
  return static_cast<float>(v);
}

Cycle::Cycle(const Body& body, std::shared_ptr<const skel::Rig> rig, CycleBase base)
    : body_(body), rig_(std::move(rig)), base_(base) {
  if (base == CycleBase::kDifference) return;
  const ArmAngles neutral = NeutralArm();
  for (auto& arm : arms_) {
    for (size_t i = 0; i < arm.size(); ++i) arm[i] = CyclicChannel(neutral[i]);
  }
}

void Cycle::HoldArm(Side side, const ArmAngles& angles) {
  for (int i = 0; i < kArmControls; ++i) arm(side, i).Hold(angles[static_cast<size_t>(i)]);
}

void Cycle::HoldArm(Side side, const Reach& reach, HandShape hand) {
  ArmAngles a = HeldArm(side);
  SolveReach(body_, side, reach, a);
  SetHand(hand, a);
  HoldArm(side, a);
}

ArmAngles Cycle::HeldArm(Side side) const {
  ArmAngles a;
  for (size_t i = 0; i < a.size(); ++i) a[i] = arms_[static_cast<size_t>(side)][i].base();
  return a;
}

void Cycle::SwingArm(Side side, ArmControl control, float degrees, int times, double phase) {
  arm(side, control).Swing(degrees * skel::kDeg, times, phase);
}

void Cycle::GoArm(Side side, const ArmAngles& angles, const Visit& visit) {
  const ArmAngles held = HeldArm(side);
  for (size_t i = 0; i < held.size(); ++i) {
    arm(side, static_cast<int>(i)).Go(angles[i] - held[i], visit);
  }
}

void Cycle::GoArm(Side side, const Reach& reach, HandShape hand, const Visit& visit) {
  ArmAngles a = HeldArm(side);
  SolveReach(body_, side, reach, a);
  SetHand(hand, a);
  GoArm(side, a, visit);
}

void Cycle::Hold(Run r, Vec3 amount) {
  for (size_t i = 0; i < 3; ++i) run(r)[i].Hold(Axes(amount)[i]);
}

void Cycle::Swing(Run r, Vec3 amount, int times, double phase) {
  for (size_t i = 0; i < 3; ++i) run(r)[i].Swing(Axes(amount)[i], times, phase);
}

void Cycle::Go(Run r, Vec3 amount, const Visit& visit) {
  for (size_t i = 0; i < 3; ++i) run(r)[i].Go(Axes(amount)[i], visit);
}

void Cycle::SwingLook(Vec3 degrees, int times, double phase) {
  for (Run r : {Run::kNeck, Run::kHead}) Swing(r, degrees * 0.5f, times, phase);
}

CyclicChannel* Cycle::shape(absl::string_view name) {
  const int s = rig_->FindShape(name);
  if (s < 0) return nullptr;
  auto it =
      std::find_if(shapes_.begin(), shapes_.end(), [&](const auto& x) { return x.first == s; });
  if (it == shapes_.end()) it = shapes_.insert(shapes_.end(), {s, CyclicChannel()});
  return &it->second;
}

void Cycle::HoldShape(absl::string_view name, float weight) {
  if (CyclicChannel* c = shape(name)) c->Hold(weight);
}

void Cycle::SwingShape(absl::string_view name, float weight, int times, double phase) {
  if (CyclicChannel* c = shape(name)) c->Swing(weight, times, phase);
}

void Cycle::GoShape(absl::string_view name, float weight, const Visit& visit) {
  if (CyclicChannel* c = shape(name)) c->Go(weight, visit);
}

bool Cycle::RunAt(Run r, double t_s, double period_s, Vec3& out) const {
  const RunChannels& c = runs_[static_cast<size_t>(r)];
  if (!Used(c)) return false;
  out = {c[0].At(t_s, period_s), c[1].At(t_s, period_s), c[2].At(t_s, period_s)};
  if (r != Run::kPelvisShift) out = out * skel::kDeg;
  return true;
}

void Cycle::PoseArms(double t_s, double period_s, const skel::PoseSpan& out) const {
  for (Side side : {Side::kLeft, Side::kRight}) {
    const auto& channels = arms_[static_cast<size_t>(side)];
    if (!Used(channels)) continue;
    ArmAngles a;
    for (size_t i = 0; i < a.size(); ++i) a[i] = channels[i].At(t_s, period_s);
    PoseArm(body_, side, a, out);
  }
}

void Cycle::PoseTorso(double t_s, double period_s, const skel::PoseSpan& out) const {
  const int head[] = {body_.head};
  const std::pair<Run, absl::Span<const int>> runs[] = {{Run::kLumbar, body_.lumbar},
                                                        {Run::kThorax, body_.thorax},
                                                        {Run::kNeck, body_.neck},
                                                        {Run::kHead, head}};
  Vec3 turn, shift;
  for (const auto& [r, joints] : runs) {
    if (RunAt(r, t_s, period_s, turn)) PoseRun(joints, turn, out);
  }
  turn = {};
  const bool turns = RunAt(Run::kPelvis, t_s, period_s, turn);
  const bool shifts = RunAt(Run::kPelvisShift, t_s, period_s, shift);
  if (turns || shifts) PosePelvisOverFeet(body_, shift, turn, out);
}

std::shared_ptr<const clip::Clip> Cycle::Render(std::string name, double period_s) const {
  const auto frames = static_cast<size_t>(std::lround(period_s * kClipRate_hz));
  std::vector<skel::Pose> poses(frames, skel::Pose(rig_->joints(), rig_->shapes()));
  for (size_t f = 0; f < frames; ++f) {
    const double t = static_cast<double>(f) / kClipRate_hz;
    PoseArms(t, period_s, poses[f].span());
    PoseTorso(t, period_s, poses[f].span());
    for (const auto& [s, channel] : shapes_) {
      poses[f].span().SetWeight(s, std::clamp(channel.At(t, period_s), 0.0f, 1.0f));
    }
  }
  return std::make_shared<const clip::Clip>(
      std::move(name), rig_, timecode::FrameRate{kClipRate_hz, 1}, std::move(poses), /*loops=*/true,
      base_ == CycleBase::kStance ? clip::ClipKind::kPosture : clip::ClipKind::kLayer);
}

}  // namespace posewire::gesture
