#include "libs/graph/ease_stage.h"

#include <utility>

#include "libs/graph/contributions.h"
#include "libs/graph/rest_fill.h"

namespace posewire::graph {
namespace {

// After this time without a tick, velocities are unknown.
constexpr double kGap_s = 0.25;

}  // namespace

EaseStage::EaseStage(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below)
    : PassNode(std::move(below)),
      rig_(std::move(rig)),
      said_(rig_->joints(), rig_->shapes()),
      ease_(rig_) {}

void EaseStage::Update(const TickContext& ctx, float weight) {
  // It was not visible at the previous tick, so there is nothing to ease from.
  if (!seen_) ease_.Forget();
  seen_ = false;
  PassNode::Update(ctx, weight);
}

void EaseStage::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  seen_ = true;
  TransitionRequests asks(out.joints, out.shapes);
  TickContext gathers = ctx;
  gathers.asks = &asks;
  below().Evaluate(gathers, out);
  const bool all = said_.Note(out, [&](size_t row, size_t i) {
    if (asks.at(row, i) == 0) asks.Ask(row, i, kJumpEase_s);
  });
  if (!all) FillFromRest(rig_->rest(), out);
  // New nodes have not switched anything yet.
  if (adopted_) asks.Clear();
  if (ctx.contributions != nullptr) {
    if (auto* const ease = ctx.contributions->StageOf(this)) ease->Note(asks);
  }
  if (ctx.inputs->watcher != nullptr) ctx.inputs->watcher->OnInput(*this, out, asks);
  const bool gap = adopted_ || ctx.time_s - time_s_ > kGap_s;
  ease_.Run(ctx.dt_s, gap || gap_before_, asks, out);
  gap_before_ = gap;
  adopted_ = false;
  time_s_ = ctx.time_s;
}

void EaseStage::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const EaseStage*>(&old);
  if (other == nullptr) return;
  ease_.Adopt(other->ease_);
  time_s_ = other->time_s_;
  seen_ = other->seen_;
  adopted_ = true;
}

void EaseStage::Contribute(const TickContext& ctx, const ContributionShare& share,
                           ContributionList& out) const {
  ContributionStore& store = *ctx.contributions;
  ContributionEase* const ease = store.StageOf(this);
  if (ease == nullptr) return below().Contribute(ctx, share, out);
  ContributionList& list = store.Enter();
  below().Contribute(ctx, ContributionShare(rig_->joints()).As(share), list);
  ease->Run(ctx.dt_s, list);
  out.AddAll(list, share);
  store.Leave();
}

}  // namespace posewire::graph
