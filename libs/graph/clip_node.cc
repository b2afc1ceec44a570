#include "libs/graph/clip_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/graph/contributions.h"

namespace posewire::graph {
namespace {

// Time constant with which the amplitude follows its number.
constexpr double kAmplitude_s = 0.15;

// Scales the difference of `pose` from `first`.
void Amplify(const skel::PoseView& first, float amplitude, const skel::PoseSpan& pose) {
  for (int j = 0; j < pose.joints; ++j) {
    if (pose.has_t[j]) {
      pose.SetTranslation(j, Lerp(first.translation(j), pose.translation(j), amplitude));
    }
    if (pose.has_r[j]) {
      pose.SetRotation(j, Normalized(Slerp(first.rotation(j), pose.rotation(j), amplitude)));
    }
    if (pose.has_s[j]) pose.SetScale(j, Lerp(first.scale(j), pose.scale(j), amplitude));
  }
  for (int s = 0; s < pose.shapes; ++s) {
    const float w = pose.weights[s], f = first.weights[s];
    if (!pose.has_w[s]) continue;
    pose.weights[s] =
        std::clamp(f + (w - f) * amplitude, std::min({0.0f, w, f}), std::max({1.0f, w, f}));
  }
}

}  // namespace

void ClipNode::Play(const clip::Clip* clip) {
  clip_ = clip;
  Restart();
}

void ClipNode::Restart() {
  fresh_ = true;
  ended_ = false;
  jump_ = true;
  time_s_ = clip_ == nullptr ? 0 : std::min(offset_s_, clip_->duration_s());
}

void ClipNode::Follow(int variable, std::vector<const clip::Clip*> clips) {
  variable_ = variable;
  clips_ = std::move(clips);
}

void ClipNode::Choose(const TickContext& ctx) {
  if (variable_ < 0) return;
  const int choice = ctx.variables->choice(variable_);
  if (choice == choice_) return;
  choice_ = choice;
  const clip::Clip* clip = clips_[static_cast<size_t>(choice)];
  if (clip != clip_) Play(clip);
}

void ClipNode::Update(const TickContext& ctx, float weight) {
  (void)weight;
  speed_.Step(ctx);
  const double amplitude = std::max(amplitude_.Step(ctx), 0.0);
  if (shown_amplitude_ != amplitude) {
    const double share = shown_amplitude_ < 0 ? 1 : 1 - std::exp(-ctx.dt_s / kAmplitude_s);
    shown_amplitude_ += (amplitude - shown_amplitude_) * share;
    if (std::fabs(shown_amplitude_ - amplitude) < 1e-4) shown_amplitude_ = amplitude;
  }
  Choose(ctx);
  if (clip_ == nullptr) return;
  if (fresh_) {
    fresh_ = false;
    if (rate() < 0 && time_s_ == 0) time_s_ = clip_->duration_s();
  } else {
    Advance(ctx.dt_s);
  }
}

void ClipNode::Advance(double dt_s) {
  const double end = clip_->duration_s(), step = dt_s * rate();
  if (step == 0) return;
  const double next = time_s_ + step;
  ended_ = false;
  if (!loops()) {
    ended_ = step > 0 ? next > end + kOnTime_s : next < -kOnTime_s;
    time_s_ = std::clamp(next, 0.0, end);
    return;
  }
  if (end <= 0) return;
  time_s_ = std::fmod(next, end);
  if (time_s_ < 0) time_s_ += end;
  // A clip that was not made to loop ends in another pose than it began with.
  if (!clip_->loops() && (next >= end || next < 0)) jump_ = true;
}

void ClipNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  bool amplified = false;
  if (clip_ == nullptr) {
    out.ClearPresence();
  } else {
    clip_->Sample(time_s_, out);
    amplified = shown_amplitude_ >= 0 && shown_amplitude_ != 1 && clip_->frames() > 0;
    if (amplified) Amplify(clip_->frame(0), static_cast<float>(shown_amplitude_), out);
  }
  if (turns_) turns_->Ask(ctx, amplified, out);
  if (jump_ && ctx.asks != nullptr) ctx.asks->AskAll(kJumpEase_s);
  jump_ = false;
}

const skel::Vec3* ClipNode::camera_at() const {
  return clip_ != nullptr && clip_->camera_at() ? &*clip_->camera_at() : nullptr;
}

double ClipNode::remaining_s() const {
  if (clip_ == nullptr || loops() || rate() == 0) return Node::remaining_s();
  return (rate() > 0 ? clip_->duration_s() - time_s_ : time_s_) / std::fabs(rate());
}

double ClipNode::cycle_s() const {
  if (clip_ == nullptr || speed_.value() == 0) return 0;
  return clip_->duration_s() / std::fabs(speed_.value());
}

// The phase is linear between two marks; the last interval wraps around to the first mark.
double ClipNode::phase() const {
  if (clip_ == nullptr || clip_->duration_s() <= 0) return -1;
  const double end = clip_->duration_s();
  if (marks_s_.empty()) return loops() ? std::fmod(time_s_ / end, 1) : time_s_ / end;
  const auto n = static_cast<double>(marks_s_.size());
  const double time = time_s_ < marks_s_.front() ? time_s_ + end : time_s_;
  const auto after = std::upper_bound(marks_s_.begin(), marks_s_.end(), time);
  const double from = *(after - 1);
  const double to = after == marks_s_.end() ? marks_s_.front() + end : *after;
  const double part = to > from ? std::min((time - from) / (to - from), 1.0) : 0;
  const double phase = (static_cast<double>(after - marks_s_.begin()) - 1 + part) / n;
  return phase >= 1 ? phase - 1 : phase;
}

void ClipNode::SetPhase(double phase) {
  if (clip_ == nullptr || clip_->duration_s() <= 0 || phase < 0) return;
  const double end = clip_->duration_s();
  if (marks_s_.empty()) {
    time_s_ = std::min(phase, 1.0) * end;
    return;
  }
  const auto n = static_cast<double>(marks_s_.size());
  const double place = std::fmod(phase, 1) * n;
  const auto i = std::min(static_cast<size_t>(place), marks_s_.size() - 1);
  const double from = marks_s_[i];
  const double to = i + 1 == marks_s_.size() ? marks_s_.front() + end : marks_s_[i + 1];
  const double time = from + (place - static_cast<double>(i)) * (to - from);
  time_s_ = time >= end ? time - end : time;
}

void ClipNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const ClipNode*>(&old);
  if (other == nullptr) return;
  speed_.Adopt(other->speed_);
  amplitude_.Adopt(other->amplitude_);
  shown_amplitude_ = other->shown_amplitude_;
  if (variable_ >= 0 && other->clip_ != nullptr) {
    const auto same = std::find_if(clips_.begin(), clips_.end(), [&](const clip::Clip* c) {
      return c != nullptr && c->name() == other->clip_->name();
    });
    if (same == clips_.end()) return;
    clip_ = *same;
    choice_ = static_cast<int>(same - clips_.begin());
  }
  if (other->clip_ == nullptr || clip_ == nullptr) return;
  if (other->clip_->name() != clip_->name()) return;
  time_s_ = loops() ? other->time_s_ : std::min(other->time_s_, clip_->duration_s());
  fresh_ = other->fresh_;
  ended_ = other->ended_;
}

void ClipNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                          ContributionList& out) const {
  (void)ctx;
  if (clip_ != nullptr) out.AddClip(*clip_, time_s_, share);
}

}  // namespace posewire::graph
