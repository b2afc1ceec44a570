#include "libs/gesture/script.h"

#include <algorithm>
#include <cmath>

#include "libs/gesture/neutral_stance.h"
#include "libs/skel/limit_job.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::gesture {
namespace {

using skel::Vec3;

constexpr double kLag = 1.0 / kClipRate_hz;
// The right hand leads the left.
constexpr double kLeftLag = kLag;

// The carrying part leads, and the carried part follows.
double ArmDelay(int control) {
  if (control <= kClavicleFront) return 0;
  if (control <= kShoulderZ) return 0.5 * kLag;
  if (control == kElbowFlex) return 1.5 * kLag;
  if (control <= kWristDeviate) return 2.5 * kLag;
  return 3.5 * kLag;
}

MoveStyle ArmStyle(int control, float vigour) {
  MoveStyle s;
  if (control <= kClavicleFront) {
    s = {0.10f, 0.03f, 0.25};
  } else if (control <= kShoulderZ) {
    s = {0.035f, 0.035f, 0.22};
  } else if (control == kElbowFlex) {
    s = {0.03f, 0.05f, 0.2};
  } else if (control <= kForearmTwist) {
    s = {0.02f, 0.04f, 0.2};
  } else if (control <= kWristDeviate) {
    s = {0.1f, 0.14f, 0.22};
  } else {
    s = {0, 0.05f, 0.16};
  }
  s.anticipate *= vigour;
  s.overshoot *= vigour;
  return s;
}

// The fraction of an arm's move during which its clavicle does not move: it has almost no part in
// the first 30 degrees of elevation, and a third of the rest (Inman, Saunders and Abbott,
// "Observations on the function of the shoulder joint", J. Bone and Joint Surgery 26, 1944).
// Raising shoulders without arms is a shrug.
double ShoulderWaits(float elevation_rad) {
  constexpr float kFrom = 30 * skel::kDeg, kTo = 75 * skel::kDeg, kMost = 0.4f;
  return static_cast<double>(kMost *
                             std::clamp((elevation_rad - kFrom) / (kTo - kFrom), 0.0f, 1.0f));
}

struct Rendered {
  std::vector<float> values;
  Rendered(const Channel& c, size_t frames, double delay) : values(frames) {
    c.Render(kClipRate_hz, delay, absl::MakeSpan(values));
  }
};

template <size_t N>
bool Moves(const std::array<Channel, N>& channels) {
  return std::any_of(channels.begin(), channels.end(), [](const Channel& c) { return c.moves(); });
}

// A held pose is never completely still: a slow drift, zero at both ends of the clip.
float Drift(int which, size_t frame, size_t frames, double amount) {
  const double t = static_cast<double>(frame) / kClipRate_hz;
  const double left = static_cast<double>(frames - 1 - frame) / kClipRate_hz;
  const double edge = std::clamp(std::min(t, left) / 0.5, 0.0, 1.0);
  const double window = edge * edge * (3 - 2 * edge);
  const double phase = 1.7 * which + 5.1 * t + 0.6 * std::sin(3.1 * t + which);
  return static_cast<float>(amount * window * std::sin(phase));
}

constexpr double kArmDrift = 0.010, kRunDrift = 0.005;

}  // namespace

Script::Script(const Body& body, std::shared_ptr<const skel::Rig> rig)
    : body_(body), rig_(std::move(rig)) {
  const ArmAngles neutral = NeutralArm();
  for (auto& arm : arms_) {
    for (size_t i = 0; i < arm.size(); ++i) arm[i] = Channel(neutral[i]);
  }
}

ArmAngles Script::ArmNow(Side side) const {
  ArmAngles a;
  for (size_t i = 0; i < a.size(); ++i) a[i] = arms_[static_cast<size_t>(side)][i].last();
  return a;
}

void Script::Arm(Side side, double t0_s, double t1_s, const ArmAngles& angles, float vigour) {
  // The shoulder of a rising arm starts later than the arm, and on the way down ends before it.
  const ArmAngles now = ArmNow(side);
  const bool rises = angles[kClavicleUp] > now[kClavicleUp];
  const double waits_s =
      (t1_s - t0_s) * ShoulderWaits(Elevation(body_, side, rises ? angles : now));
  for (int i = 0; i < kArmControls; ++i) {
    const bool waits = i == kClavicleUp;
    arm(side, i).Move(t0_s + (waits && rises ? waits_s : 0), t1_s - (waits && !rises ? waits_s : 0),
                      angles[static_cast<size_t>(i)], ArmStyle(i, vigour));
  }
}

void Script::Arm(Side side, double t0_s, double t1_s, const Reach& reach, HandShape hand,
                 float vigour) {
  ArmAngles a = ArmNow(side);
  SolveReach(body_, side, reach, a);
  SetHand(hand, a);
  Arm(side, t0_s, t1_s, a, vigour);
}

void Script::Hand(Side side, double t0_s, double t1_s, HandShape hand) {
  ArmAngles a = ArmNow(side);
  SetHand(hand, a);
  for (int i = kThumbAdduct; i < kArmControls; ++i) {
    arm(side, i).Move(t0_s, t1_s, a[static_cast<size_t>(i)], ArmStyle(i, 1));
  }
}

void Script::ArmHome(Side side, double t0_s, double t1_s) {
  Arm(side, t0_s, t1_s, NeutralArm(), 0.6f);
}

void Script::ArmAngle(Side side, ArmControl control, double t_s, float value) {
  arm(side, control).Key(t_s, value);
}

void Script::Turn(Run run, double t0_s, double t1_s, Vec3 amount, float overshoot) {
  const float unit = run == Run::kPelvisShift ? 1 : skel::kDeg;
  const float v[3] = {amount.x, amount.y, amount.z};
  for (size_t i = 0; i < 3; ++i) {
    runs_[static_cast<size_t>(run)][i].Move(t0_s, t1_s, v[i] * unit, {0.05f, overshoot, 0.25});
  }
}

void Script::Shape(absl::string_view name, double t0_s, double t1_s, float weight) {
  const int shape = rig_->FindShape(name);
  if (shape < 0) return;
  auto it =
      std::find_if(shapes_.begin(), shapes_.end(), [&](const auto& s) { return s.first == shape; });
  if (it == shapes_.end()) it = shapes_.insert(shapes_.end(), {shape, Channel(0)});
  it->second.Move(t0_s, t1_s, weight, {});
}

void Script::RenderArm(Side side, std::vector<skel::Pose>& poses) const {
  const auto& channels = arms_[static_cast<size_t>(side)];
  if (!Moves(channels)) return;
  const bool follows = side == Side::kLeft && Moves(arms_[static_cast<size_t>(Side::kRight)]);
  std::vector<Rendered> curves;
  for (int c = 0; c < kArmControls; ++c) {
    curves.emplace_back(channels[static_cast<size_t>(c)], poses.size(),
                        ArmDelay(c) + (follows ? kLeftLag : 0));
  }
  for (size_t f = 0; f < poses.size(); ++f) {
    ArmAngles a;
    for (size_t c = 0; c < a.size(); ++c) {
      a[c] = curves[c].values[f];
      if (c >= kShoulderX && c <= kWristDeviate) {
        const int which = static_cast<int>(c) + (side == Side::kLeft ? 0 : 20);
        a[c] += Drift(which, f, poses.size(), kArmDrift);
      }
    }
    PoseArm(body_, side, a, poses[f].span());
  }
}

std::vector<Vec3> Script::RenderRun(Run run, size_t frames) const {
  const auto& channels = runs_[static_cast<size_t>(run)];
  if (!Moves(channels)) return {};
  const double delay = run == Run::kHead ? 1.5 * kLag : run == Run::kNeck ? kLag : 0;
  const Rendered x(channels[0], frames, delay), y(channels[1], frames, delay),
      z(channels[2], frames, delay);
  std::vector<Vec3> turns;
  for (size_t f = 0; f < frames; ++f) {
    turns.push_back({x.values[f], y.values[f], z.values[f]});
    if (run == Run::kPelvis || run == Run::kPelvisShift) continue;
    const int which = 3 * static_cast<int>(run);
    turns.back() = turns.back() + Vec3{Drift(which, f, frames, kRunDrift),
                                       Drift(which + 1, f, frames, kRunDrift),
                                       Drift(which + 2, f, frames, kRunDrift)};
  }
  return turns;
}

void Script::RenderTorso(std::vector<skel::Pose>& poses) const {
  const int head[] = {body_.head};
  const std::pair<Run, absl::Span<const int>> runs[] = {{Run::kLumbar, body_.lumbar},
                                                        {Run::kThorax, body_.thorax},
                                                        {Run::kNeck, body_.neck},
                                                        {Run::kHead, head}};
  for (const auto& [run, joints] : runs) {
    const std::vector<Vec3> turns = RenderRun(run, poses.size());
    for (size_t f = 0; f < turns.size(); ++f) PoseRun(joints, turns[f], poses[f].span());
  }
  std::vector<Vec3> turns = RenderRun(Run::kPelvis, poses.size());
  std::vector<Vec3> shifts = RenderRun(Run::kPelvisShift, poses.size());
  if (turns.empty() && shifts.empty()) return;
  turns.resize(poses.size());
  shifts.resize(poses.size());
  for (size_t f = 0; f < poses.size(); ++f) {
    PosePelvisOverFeet(body_, shifts[f], turns[f], poses[f].span());
  }
}

std::shared_ptr<const clip::Clip> Script::Render(std::string name, double length_s,
                                                 clip::ClipKind kind) const {
  const size_t frames = static_cast<size_t>(std::lround(length_s * kClipRate_hz)) + 1;
  std::vector<skel::Pose> poses(frames, skel::Pose(rig_->joints(), rig_->shapes()));
  for (Side side : {Side::kLeft, Side::kRight}) RenderArm(side, poses);
  RenderTorso(poses);
  for (skel::Pose& pose : poses) {
    skel::LimitJob limits;
    limits.rig = rig_.get();
    limits.pose = pose.view();
    limits.out = pose.span();
    limits.Run();
  }
  for (const auto& [shape, channel] : shapes_) {
    const Rendered r(channel, frames, 0);
    for (size_t f = 0; f < frames; ++f) {
      poses[f].span().SetWeight(shape, std::clamp(r.values[f], 0.0f, 1.0f));
    }
  }
  return std::make_shared<const clip::Clip>(std::move(name), rig_,
                                            timecode::FrameRate{kClipRate_hz, 1}, std::move(poses),
                                            /*loops=*/false, kind);
}

}  // namespace posewire::gesture
