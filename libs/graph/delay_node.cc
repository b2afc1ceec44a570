#include "libs/graph/delay_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/graph/contributions.h"

namespace posewire::graph {
namespace {

constexpr double kSpacing_s = 1.0 / 30, kEarly_s = 1e-6;
// A delay that changes by more than this in a 30th of a second is a jump.
constexpr double kSwitch_s = 0.05;

template <typename F>
void EachElement(const skel::PoseView& pose, F f) {
  size_t at = 0;
  for (size_t row = 0; row < kElementRows; ++row) {
    for (int i = 0; i < (row < 3 ? pose.joints : pose.shapes); ++i) f(row, i, at++);
  }
}

// Interpolates between `a` and the contents of `out`, in place; elements that only one has are
// taken from the nearer one.
void MixInto(const skel::PoseView& a, float t, const skel::PoseSpan& out) {
  for (int j = 0; j < out.joints; ++j) {
    if (a.has_t[j] && out.has_t[j]) {
      out.SetTranslation(j, Lerp(a.translation(j), out.translation(j), t));
    }
    if (a.has_r[j] && out.has_r[j]) {
      out.SetRotation(j, Normalized(Slerp(a.rotation(j), out.rotation(j), t)));
    }
    if (a.has_s[j] && out.has_s[j]) out.SetScale(j, Lerp(a.scale(j), out.scale(j), t));
  }
  for (int s = 0; s < out.shapes; ++s) {
    if (a.has_w[s] && out.has_w[s])
      out.weights[s] = a.weights[s] + (out.weights[s] - a.weights[s]) * t;
  }
  if (t >= 0.5f) return;
  for (int j = 0; j < out.joints; ++j) {
    if (a.has_t[j] && !out.has_t[j]) out.SetTranslation(j, a.translation(j));
    if (a.has_r[j] && !out.has_r[j]) out.SetRotation(j, a.rotation(j));
    if (a.has_s[j] && !out.has_s[j]) out.SetScale(j, a.scale(j));
    out.has_t[j] = a.has_t[j], out.has_r[j] = a.has_r[j], out.has_s[j] = a.has_s[j];
  }
  for (int s = 0; s < out.shapes; ++s) {
    if (a.has_w[s] && !out.has_w[s]) out.weights[s] = a.weights[s];
    out.has_w[s] = a.has_w[s];
  }
}

// Copies one element from `a` to `out`.
void Hold(const skel::PoseView& a, size_t row, int i, const skel::PoseSpan& out) {
  if (row == 0) out.SetTranslation(i, a.translation(i)), out.has_t[i] = a.has_t[i];
  if (row == 1) out.SetRotation(i, a.rotation(i)), out.has_r[i] = a.has_r[i];
  if (row == 2) out.SetScale(i, a.scale(i)), out.has_s[i] = a.has_s[i];
  if (row == 3) out.SetWeight(i, a.weights[i]), out.has_w[i] = a.has_w[i];
}

}  // namespace

DelayNode::DelayNode(const skel::Rig& rig, std::unique_ptr<Node> below, Number delay_s,
                     double most_s)
    : PassNode(std::move(below)),
      delay_(delay_s),
      most_s_(std::clamp(most_s, 0.0, kMost_s)),
      ring_(static_cast<size_t>(std::ceil(most_s_ / kSpacing_s)) + 2) {
  pending_.ms.resize(static_cast<size_t>(3 * rig.joints() + rig.shapes()));
  for (Kept& kept : ring_) {
    kept.pose.Resize(rig.joints(), rig.shapes());
    kept.asked = pending_;
  }
}

void DelayNode::Update(const TickContext& ctx, float weight) {
  now_s_ += ctx.dt_s;
  const double delay = std::clamp(delay_.Step(ctx), 0.0, most_s_);
  const double most = kSwitch_s * std::max(ctx.dt_s * 30, 1.0);
  jump_ = count_ > 0 && std::fabs(delay - last_s_) > most;
  last_s_ = delay;
  last_read_s_ = read_s_;
  read_s_ = now_s_ - delay;
  if (!seen_) {
    count_ = 0;
    last_read_s_ = read_s_;
    jump_ = false;
  }
  seen_ = false;
  PassNode::Update(ctx, weight);
}

void DelayNode::Keep(const skel::PoseView& pose) {
  if (count_ > 0 && now_s_ - kept(count_ - 1).time_s < kSpacing_s - kEarly_s) return;
  if (count_ == ring_.size()) {
    first_ = (first_ + 1) % ring_.size();
    --count_;
  }
  Kept& next = ring_[(first_ + count_) % ring_.size()];
  next.time_s = now_s_;
  next.pose.span().CopyFrom(pose);
  std::swap(next.asked, pending_);
  pending_.any = false;
  ++count_;
}

size_t DelayNode::CountUntil(double time_s) const {
  size_t low = 0, high = count_;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (kept(middle).time_s <= time_s) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// `out` has the current pose.
void DelayNode::Read(double time_s, const skel::PoseSpan& out) const {
  if (time_s >= now_s_) return;
  const size_t low = CountUntil(time_s);
  if (low == 0) {
    out.CopyFrom(kept(0).pose.view());
    return;
  }
  const Kept& before = kept(low - 1);
  double after_s = now_s_;
  if (low < count_) {
    after_s = kept(low).time_s;
    out.CopyFrom(kept(low).pose.view());
  }
  const double t =
      after_s > before.time_s ? (time_s - before.time_s) / (after_s - before.time_s) : 1;
  MixInto(before.pose.view(), static_cast<float>(t), out);
  const Asked& jumps = low < count_ ? kept(low).asked : pending_;
  if (!jumps.any) return;
  EachElement(out, [&](size_t row, int i, size_t at) {
    if (jumps.ms[at] != 0) Hold(before.pose.view(), row, i, out);
  });
}

void DelayNode::AskAgain(const Asked& asked, TransitionRequests* asks) const {
  if (!asked.any || asks == nullptr) return;
  size_t at = 0;
  asks->Each([&](size_t, size_t, TransitionRequests::Ms& ms) {
    if (asked.ms[at] != 0) ms = asked.ms[at];
    ++at;
  });
}

void DelayNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  seen_ = true;
  TransitionRequests asks(out.joints, out.shapes);
  TickContext aside = ctx;
  aside.asks = &asks;
  below().Evaluate(aside, out);
  // The node below may differ from the one that it replaced.
  if (std::exchange(adopted_, false)) asks.AskAll(kSwitchEase_s);
  if (asks.any()) {
    if (!pending_.any) std::fill(pending_.ms.begin(), pending_.ms.end(), TransitionRequests::Ms{0});
    pending_.any = true;
    EachElement(out, [&](size_t row, int i, size_t at) {
      const TransitionRequests::Ms ms = asks.at(row, static_cast<size_t>(i));
      if (ms != 0) pending_.ms[at] = ms;
    });
  }
  if (read_s_ >= now_s_) AskAgain(pending_, ctx.asks);
  Keep(out);
  Read(read_s_, out);
  // Reads across a jump, forwards or back.
  const auto [from_s, to_s] = std::minmax(last_read_s_, read_s_);
  for (size_t i = CountUntil(from_s), end = CountUntil(to_s); i < end; ++i) {
    AskAgain(kept(i).asked, ctx.asks);
  }
  if (jump_ && ctx.asks != nullptr) ctx.asks->AskAll(kSwitchEase_s);
}

void DelayNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const DelayNode*>(&old);
  if (other == nullptr || other->count_ == 0) return;
  const skel::Pose &theirs = other->ring_[0].pose, &mine = ring_[0].pose;
  if (theirs.joints() != mine.joints() || theirs.shapes() != mine.shapes()) return;
  delay_.Adopt(other->delay_);
  now_s_ = other->now_s_, last_s_ = other->last_s_, read_s_ = other->read_s_;
  seen_ = other->seen_;
  count_ = std::min(other->count_, ring_.size());
  first_ = 0;
  for (size_t i = 0; i < count_; ++i) {
    const Kept& from = other->kept(other->count_ - count_ + i);
    ring_[i].time_s = from.time_s;
    ring_[i].pose.span().CopyFrom(from.pose.view());
    ring_[i].asked = from.asked;
  }
  adopted_ = true;
}

void DelayNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                           ContributionList& out) const {
  ContributionShare late = share;
  late.late_s += std::max(now_s_ - read_s_, 0.0);
  PassNode::Contribute(ctx, late, out);
}

}  // namespace posewire::graph
