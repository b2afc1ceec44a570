#include "libs/graph/ease.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "libs/skel/pose_rows.h"

namespace posewire::graph {
namespace {

using skel::kDeg;
using skel::Quat;
using skel::Vec3;

// Smaller changes from one frame to the next are not jumps: radians, metres and scale, weights.
constexpr float kStillTurn = 0.1f * kDeg, kStillMove = 2e-4f, kStillWeight = 2e-3f;
// Limit on the rotation of an eased element per 30th of a second: that of the input plus kMargin,
// but at most kMost, unless the input alone rotates further.
constexpr float kFree = 32 * kDeg, kMargin = 20 * kDeg, kMost = 38 * kDeg;
constexpr float kFreeWeight = 0.5f, kMarginWeight = 0.2f, kMostWeight = 0.56f;
// Minimum duration of easing for an element that the guard holds back.
constexpr double kCatchUp_s = 0.2;

float Allowed(float step, float free, float margin, float most, float frames) {
  // If the input itself moves further than that, catch up gradually.
  if (step > most * frames) return step + (step - most * frames) / 2;
  return std::max(free * frames, std::min(step + margin * frames, most * frames));
}

// Number of floats copied at once: one cache line.
constexpr int kBlock = 16;
static_assert(kBlock * 64 >= static_cast<int>(skel::kMostJoints));

using Three = std::array<const float*, 3>;
bool SameBytes(const Three& a, const Three& b, int from, int to) {
  const auto bytes = static_cast<size_t>(to - from) * sizeof(float);
  for (size_t r = 0; r < a.size(); ++r) {
    if (std::memcmp(a[r] + from, b[r] + from, bytes) != 0) return false;
  }
  return true;
}

// Copies the blocks of three rows of n that are not at rest, or were not at rest when last copied
// (`moved`, one bit each).
uint64_t CopyMoved(const Three& from, const Three& rest, const std::array<float*, 3>& to, int n,
                   uint64_t moved) {
  const auto has_moved = [&](int at) { return (moved >> (at / kBlock) & 1) != 0; };
  for (int at = 0; at < n;) {
    int end = std::min(at + kBlock, n);
    if (!has_moved(at)) {
      while (end < n && !has_moved(end)) end = std::min(end + kBlock, n);
      if (SameBytes(from, rest, at, end)) {
        at = end;
        continue;
      }
      for (end = std::min(at + kBlock, n); SameBytes(from, rest, at, end);) {
        at = end, end = std::min(end + kBlock, n);
      }
    }
    for (size_t r = 0; r < from.size(); ++r) std::copy_n(from[r] + at, end - at, to[r] + at);
    const uint64_t bit = uint64_t{1} << (at / kBlock);
    moved = SameBytes(from, rest, at, end) ? moved & ~bit : moved | bit;
    at = end;
  }
  return moved;
}

}  // namespace

struct Ease::Tick {
  double dt_s = 0;
  double frame_s = 0;  // between the last two shown poses; 0: no velocity
  float frames = 1;    // 30ths of a second for the guard
  const TransitionRequests& asks;
};

Ease::Ease(std::shared_ptr<const skel::Rig> rig) : rig_(std::move(rig)) {
  const auto joints = static_cast<size_t>(rig_->joints());
  const auto shapes = static_cast<size_t>(rig_->shapes());
  const skel::PoseView rest = rig_->rest();
  for (Shown& s : shown_) {
    s.floats.resize(10 * joints + shapes);
    s.rows = skel::SpanOver(s.floats.data(), joints, nullptr, 0, rest.joints, rest.shapes);
    const Three from[] = {{rest.tx, rest.ty, rest.tz}, {rest.sx, rest.sy, rest.sz}};
    float* const to[][3] = {{s.rows.tx, s.rows.ty, s.rows.tz}, {s.rows.sx, s.rows.sy, s.rows.sz}};
    for (size_t k = 0; k < 2; ++k) {
      for (size_t r = 0; r < 3; ++r) std::copy_n(from[k][r], joints, to[k][r]);
    }
  }
  for (auto& row : vectors_) row.resize(joints);
  weights_.resize(shapes);
}

void Ease::Forget() {
  ticks_ = 0;
  if (!active()) return;
  for (auto& row : vectors_) std::fill(row.begin(), row.end(), Vector());
  std::fill(weights_.begin(), weights_.end(), Scalar());
  running_ = {};
}

void Ease::StartFrom(const skel::PoseView& shown) {
  Forget();
  Keep(0, shown);
}

void Ease::Adopt(const Ease& old) {
  if (old.weights_.size() != weights_.size() || old.vectors_[0].size() != vectors_[0].size())
    return;
  for (size_t i = 0; i < shown_.size(); ++i) {
    std::copy(old.shown_[i].floats.begin(), old.shown_[i].floats.end(), shown_[i].floats.begin());
    // Rest may differ in this rig, so all blocks may have moved.
    shown_[i].moved = {~uint64_t{0}, ~uint64_t{0}};
  }
  newest_ = old.newest_, ticks_ = old.ticks_, dt_s_ = old.dt_s_;
  running_ = old.running_, vectors_ = old.vectors_, weights_ = old.weights_;
}

void Ease::Keep(double dt_s, const skel::PoseView& pose) {
  newest_ = 1 - newest_;
  Shown& to = shown_[newest_];
  const skel::PoseSpan& rows = to.rows;
  const skel::PoseView rest = rig_->rest();
  to.moved[0] = CopyMoved({pose.tx, pose.ty, pose.tz}, {rest.tx, rest.ty, rest.tz},
                          {rows.tx, rows.ty, rows.tz}, pose.joints, to.moved[0]);
  to.moved[1] = CopyMoved({pose.sx, pose.sy, pose.sz}, {rest.sx, rest.sy, rest.sz},
                          {rows.sx, rows.sy, rows.sz}, pose.joints, to.moved[1]);
  std::copy_n(pose.qw, pose.joints, rows.qw);
  std::copy_n(pose.qx, pose.joints, rows.qx);
  std::copy_n(pose.qy, pose.joints, rows.qy);
  std::copy_n(pose.qz, pose.joints, rows.qz);
  std::copy_n(pose.weights, pose.shapes, rows.weights);
  dt_s_ = dt_s;
  ticks_ = std::min(ticks_ + 1, 2);
}

void Ease::Run(double dt_s, bool gap, const TransitionRequests& asks, const skel::PoseSpan& pose) {
  if ((asks.any() && ticks_ > 0) || active()) {
    const Tick tick{dt_s, ticks_ > 1 && !gap ? dt_s_ : 0,
                    static_cast<float>(std::clamp(dt_s * 30, 0.25, 30.0)), asks};
    for (size_t row = 0; row < kElementRows; ++row) {
      if (!asks.any() && running_[row] == 0) continue;
      running_[row] = row == 1   ? EaseTurns(tick, pose)
                      : row == 3 ? EaseWeights(tick, pose)
                                 : EaseMoves(tick, row, pose);
    }
  }
  Keep(dt_s, pose);
}

int Ease::EaseTurns(const Tick& tick, const skel::PoseSpan& pose) {
  const float free_cos = std::cos(std::min(kFree * tick.frames / 2, 1.5f));
  int running = 0;
  for (int j = 0; j < pose.joints; ++j) {
    auto& [way, inertia] = vectors_[1][static_cast<size_t>(j)];
    const TransitionRequests::Ms asked = tick.asks.at(1, static_cast<size_t>(j));
    if (asked == 0 && !inertia.active()) continue;
    const Quat input = pose.rotation(j), last = shown().rotation(j);
    const Vec3 offset = way * inertia.Left();
    // Distance that the input moved since the previous tick.
    const auto step = [&] { return AngleBetween(Mul(skel::Exp(offset * -1), last), input); };
    const bool jumps = asked > 0 && step() > kStillTurn;
    if (jumps) {
      way = StartTurn(before().rotation(j), last, tick.frame_s, input, asked * 1e-3, inertia);
    } else if (!inertia.active()) {
      continue;
    }
    inertia.Advance(tick.dt_s);
    Quat eased = inertia.active() ? Normalized(Mul(skel::Exp(way * inertia.Left()), input)) : input;
    if (std::fabs(Dot(last, eased)) < free_cos) {
      const float allowed = Allowed(jumps ? 0 : step(), kFree, kMargin, kMost, tick.frames);
      const float turn = AngleBetween(last, eased);
      if (turn > allowed) {
        const double rest_s = std::max(static_cast<double>(inertia.rest_s()), kCatchUp_s);
        eased = Normalized(Slerp(last, eased, allowed / turn));
        way = StartTurn(last, eased, tick.dt_s, input, rest_s, inertia);
      }
    }
    if (!inertia.active()) continue;
    pose.SetRotation(j, eased);
    ++running;
  }
  return running;
}

int Ease::EaseMoves(const Tick& tick, size_t row, const skel::PoseSpan& pose) {
  const bool places = row == 0;
  const auto at = [places](const auto& p, int j) { return places ? p.translation(j) : p.scale(j); };
  int running = 0;
  for (int j = 0; j < pose.joints; ++j) {
    auto& [way, inertia] = vectors_[row][static_cast<size_t>(j)];
    const TransitionRequests::Ms asked = tick.asks.at(row, static_cast<size_t>(j));
    if (asked == 0 && !inertia.active()) continue;
    const Vec3 input = at(pose, j), last = at(shown(), j);
    if (asked > 0 && Length(last - way * inertia.Left() - input) > kStillMove) {
      way = StartMove(at(before(), j), last, tick.frame_s, input, asked * 1e-3, inertia);
    }
    inertia.Advance(tick.dt_s);
    if (!inertia.active()) continue;
    const Vec3 eased = input + way * inertia.Left();
    places ? pose.SetTranslation(j, eased) : pose.SetScale(j, eased);
    ++running;
  }
  return running;
}

int Ease::EaseWeights(const Tick& tick, const skel::PoseSpan& pose) {
  int running = 0;
  for (int s = 0; s < pose.shapes; ++s) {
    Scalar& difference = weights_[static_cast<size_t>(s)];
    float& way = difference.way;
    skel::Inertia& inertia = difference.inertia;
    const TransitionRequests::Ms asked = tick.asks.at(3, static_cast<size_t>(s));
    if (asked == 0 && !inertia.active()) continue;
    const float input = pose.weights[s], last = shown().weights[s];
    const float step = std::fabs(last - way * inertia.Left() - input);
    const bool jumps = asked > 0 && step > kStillWeight;
    const auto start = [&](float from, float earlier, double frame_s, double duration_s) {
      way = from - input;
      const float way_before = std::copysign(1.0f, way) * (earlier - input);
      inertia = skel::Inertia(std::fabs(way), way_before, frame_s, duration_s);
    };
    if (jumps) {
      start(last, before().weights[s], tick.frame_s, asked * 1e-3);
    } else if (!inertia.active()) {
      continue;
    }
    inertia.Advance(tick.dt_s);
    // Easing does not move weights out of 0..1, unless the input, or the shown value, is outside.
    float eased = std::clamp(input + way * inertia.Left(), std::min({0.0f, input, last}),
                             std::max({1.0f, input, last}));
    const float allowed =
        Allowed(jumps ? 0 : step, kFreeWeight, kMarginWeight, kMostWeight, tick.frames);
    if (std::fabs(eased - last) > allowed) {
      const double rest_s = std::max(static_cast<double>(inertia.rest_s()), kCatchUp_s);
      eased = last + std::copysign(allowed, eased - last);
      start(eased, last, tick.dt_s, rest_s);
    }
    if (!inertia.active()) continue;
    pose.weights[s] = eased;
    ++running;
  }
  return running;
}

}  // namespace posewire::graph
