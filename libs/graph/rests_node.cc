#include "libs/graph/rests_node.h"

#include <algorithm>
#include <utility>

#include "libs/graph/transition_requests.h"

namespace posewire::graph {
namespace {

// Announcements for later than this are not waited for.
constexpr double kSoon_s = 3;

bool Announces(const ProviderInput& p) {
  return p.gesture != nullptr && !p.suspended && p.gesture->kind != SpeechGestureInput::kTopic &&
         p.gesture->stroke_in_s < kSoon_s;
}

}  // namespace

RestsNode::RestsNode(std::vector<const clip::Clip*> clips, const Settings& settings)
    : clips_(std::move(clips)), settings_(settings) {
  clip_.Play(clips_[0]);
}

void RestsNode::Go(size_t to) {
  now_ = to;
  clip_.Play(clips_[to]);
  stayed_s_ = 0;
  stays_s_ =
      random_.Uniform(static_cast<float>(settings_.least_s), static_cast<float>(settings_.most_s));
  in_s_ = -1;
}

void RestsNode::Update(const TickContext& ctx, float weight) {
  if (!started_) {
    // A copy, so that other nodes draw the same numbers as without this one.
    Random seed = *ctx.rng;
    random_ = Random(seed.Next() | uint64_t{1} << 32);
    Go(0);
    started_ = true;
  }
  stayed_s_ += ctx.dt_s;
  if (in_s_ >= 0) {
    in_s_ = std::max(in_s_ - ctx.dt_s, 0.0);
  } else if (stayed_s_ >= settings_.least_s && ctx.inputs != nullptr) {
    const auto& providers = ctx.inputs->providers;
    const auto it = std::find_if(providers.begin(), providers.end(), Announces);
    if (it != providers.end()) in_s_ = std::max(it->gesture->stroke_in_s, 0.0);
  }
  if (clips_.size() > 1 && (in_s_ == 0 || (in_s_ < 0 && stayed_s_ >= stays_s_))) {
    const size_t others = clips_.size() - 1;
    Go((now_ + 1 + random_.Next() % others) % clips_.size());
    ease_s_ = settings_.ease_s;
  }
  clip_.Update(ctx, weight);
}

void RestsNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  clip_.Evaluate(ctx, out);
  const double ease_s = std::exchange(ease_s_, 0);
  if (ease_s > 0 && ctx.asks != nullptr) ctx.asks->AskAll(ease_s);
}

void RestsNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                           ContributionList& out) const {
  clip_.Contribute(ctx, share, out);
}

void RestsNode::Restart() {
  if (now_ != 0) ease_s_ = kSwitchEase_s;
  Go(0);
}

void RestsNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const RestsNode*>(&old);
  if (other == nullptr || !other->started_) return;
  const clip::Clip& was = *other->clips_[other->now_];
  const auto same = std::find_if(clips_.begin(), clips_.end(),
                                 [&](const clip::Clip* c) { return c->name() == was.name(); });
  if (same == clips_.end()) return;
  random_ = other->random_;
  started_ = true;
  Go(static_cast<size_t>(same - clips_.begin()));
  stayed_s_ = other->stayed_s_, stays_s_ = other->stays_s_, in_s_ = other->in_s_;
  clip_.Adopt(other->clip_);
}

}  // namespace posewire::graph
