#include "libs/graph/graph_instance.h"

#include <utility>

namespace posewire::graph {

GraphInstance::GraphInstance(std::shared_ptr<const GraphAsset> asset, std::unique_ptr<Node> top,
                             absl::flat_hash_map<std::string, Node*> nodes, uint64_t seed)
    : asset_(std::move(asset)),
      output_(asset_->rig(), std::move(top)),
      nodes_(std::move(nodes)),
      rng_(seed),
      variables_(asset_->variables()) {}

void GraphInstance::Tick(int64_t tick, double time_s, double dt_s, const Inputs& inputs,
                         const skel::PoseSpan& out) {
  outputs_.event_count = 0;
  outputs_.has_camera = false;
  TickContext ctx{tick, time_s, dt_s, &rng_, &inputs, asset_->clips().get()};
  ctx.variables = &variables_;
  ctx.fired = fired_ | outputs_.fire;
  ctx.outputs = &outputs_;
  outputs_.fired = ctx.fired;
  fired_ = outputs_.fire = 0;
  ctx.contributions = contributions_.get();
  if (contributions_ != nullptr) contributions_->Begin();
  output_.Update(ctx, 1);
  output_.Evaluate(ctx, out);
  if (contributions_ == nullptr) return;
  ContributionList& list = contributions_->list();
  list.Clear();
  output_.Contribute(ctx, ContributionShare(asset_->rig()->joints()), list);
  list.Sort();
  list.Keep(ContributionStore::kMost);
}

void GraphInstance::TellContributions(bool tell) {
  if (tell == (contributions_ != nullptr)) return;
  contributions_ = tell ? std::make_unique<ContributionStore>(asset_->rig()->joints()) : nullptr;
}

void GraphInstance::TakeOver(GraphInstance& old, const skel::PoseView& shown) {
  variables_.Adopt(old.variables_);
  for (const auto& [name, node] : nodes_) {
    const auto before = old.nodes_.find(name);
    if (before != old.nodes_.end()) node->Adopt(*before->second);
  }
  rng_ = old.rng_;
  output_.EaseFrom(shown);
  contributions_ = std::move(old.contributions_);
  if (contributions_ == nullptr) return;
  contributions_->ForgetStages();
  if (contributions_->StageOf(nullptr)->active()) before_ = std::move(old.before_);
  before_.push_back(old.asset_);
}

}  // namespace posewire::graph
