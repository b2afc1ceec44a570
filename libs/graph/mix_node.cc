#include "libs/graph/mix_node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/graph/contributions.h"

namespace posewire::graph {
MixNode::MixNode(const skel::Rig& rig, std::vector<std::unique_ptr<Node>> inputs, bool sync)
    : sync_(sync),
      turns_(rig.joints()),
      weights_(inputs.size()),
      shares_(inputs.size()),
      shown_(inputs.size()) {
  for (auto& input : inputs) {
    inputs_.emplace_back(std::move(input), rig.joints(), rig.shapes());
    poses_.emplace_back(rig.joints(), rig.shapes());
  }
  mix_.reserve(inputs_.size());
  shares_[0] = 1;
}

void MixNode::Share(double dt_s) {
  float sum = 0;
  for (float& w : weights_) {
    if (!(w > 0)) w = 0;
    sum += w;
  }
  jump_ = false;
  if (!(sum > 0)) return;
  double moved = 0;
  for (size_t i = 0; i < shares_.size(); ++i) {
    const float share = weights_[i] / sum;
    moved += std::fabs(static_cast<double>(share - shares_[i])) / 2;
    shares_[i] = share;
  }
  jump_ = IsSwitch(0, moved, dt_s);
}

void MixNode::KeepStep() {
  double sum = 0, cycles = 0;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const double cycle = inputs_[i]->cycle_s();
    if (cycle <= 0) continue;
    sum += shares_[i];
    cycles += shares_[i] * cycle;
  }
  cycle_s_ = sum > 0 ? cycles / sum : 0;
  for (auto& input : inputs_) {
    const double cycle = input->cycle_s();
    input->SetPace(cycle > 0 && cycle_s_ > 0 ? pace_ * cycle / cycle_s_ : pace_);
  }
}

void MixNode::Update(const TickContext& ctx, float weight) {
  std::fill(weights_.begin(), weights_.end(), 0.0f);
  Weigh(ctx, absl::MakeSpan(weights_));
  Share(ctx.dt_s);
  if (sync_) KeepStep();
  for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i]->Update(ctx, weight * shares_[i]);
  leader_ = static_cast<size_t>(std::max_element(shares_.begin(), shares_.end()) - shares_.begin());
  if (!sync_) return;
  // The heaviest input with a phase leads.
  const Node* leads = nullptr;
  float most = -1;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i]->phase() < 0 || shares_[i] <= most) continue;
    leads = inputs_[i].get();
    most = shares_[i];
    leader_ = i;
  }
  for (auto& input : inputs_) {
    if (leads != nullptr && input.get() != leads) input->SetPhase(leads->phase());
  }
}

// If only some inputs have an element, they share it, so their mix may jump although all shares
// change little.
void MixNode::AskForElements(const TickContext& ctx) const {
  if (shown_ == shares_ || ctx.asks == nullptr) return;
  for (size_t r = 0; r < kElementRows; ++r) {
    for (size_t k = 0; k < ctx.asks->size(r); ++k) {
      float before = 0, now = 0, moved = 0;
      for (size_t i = 0; i < shares_.size(); ++i) {
        if (PresenceRow(poses_[i].view(), r)[k] == 0) continue;
        before += shown_[i];
        now += shares_[i];
      }
      if (before <= 0 || now <= 0) continue;
      for (size_t i = 0; i < shares_.size(); ++i) {
        if (PresenceRow(poses_[i].view(), r)[k] == 0) continue;
        moved += std::fabs(shares_[i] / now - shown_[i] / before) / 2;
      }
      if (IsSwitch(0, static_cast<double>(moved), ctx.dt_s)) {
        ctx.asks->Ask(r, k, kJumpEase_s);
      }
    }
  }
}

void MixNode::Evaluate(const TickContext& ctx, const skel::PoseSpan& out) {
  mix_.clear();
  const auto part = [](size_t, size_t) { return 0.5f; };
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (shares_[i] <= 0) continue;
    inputs_[i].Evaluate(ctx, poses_[i].span(), part);
    mix_.push_back({poses_[i].view(), shares_[i]});
  }
  AskForElements(ctx);
  shown_ = shares_;
  if (mix_.size() == 1) {
    out.CopyFrom(mix_[0].pose);
  } else {
    skel::BlendJob job;
    job.inputs = mix_;
    job.out = out;
    job.Run();
  }
  if (jump_) {
    for (const WatchedInput& input : inputs_) input.AskAll(ctx, part);
  }
  turns_.Ask(ctx, mix_.size() > 1, out);
}

void MixNode::SetPhase(double phase) {
  for (auto& input : inputs_) input->SetPhase(phase);
}

void MixNode::SetPace(double pace) {
  pace_ = pace;
  for (auto& input : inputs_) input->SetPace(pace);
}

void MixNode::Restart() {
  for (auto& input : inputs_) input->Restart();
}

void MixNode::Adopt(const Node& old) {
  const auto* other = dynamic_cast<const MixNode*>(&old);
  if (other == nullptr || other->shares_.size() != shares_.size()) return;
  shares_ = other->shares_;
  leader_ = other->leader_;
}

void MixNode::Contribute(const TickContext& ctx, const ContributionShare& share,
                         ContributionList& out) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (shares_[i] <= 0) continue;
    ContributionShare part = share;
    for (size_t j = 0; j < share.size(); ++j) {
      // Inputs that lack an element leave it to the others.
      float sum = 0;
      for (size_t k = 0; k < inputs_.size(); ++k) {
        if (shares_[k] > 0) sum += shares_[k] * PartOf(poses_[k].view(), j);
      }
      part.row[j] *= sum > 0 ? shares_[i] * PartOf(poses_[i].view(), j) / sum : 0;
    }
    inputs_[i]->Contribute(ctx, part, out);
  }
}

}  // namespace posewire::graph
