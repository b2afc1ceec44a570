// Base class of nodes that only change another node's pose.
#ifndef POSEWIRE_LIBS_GRAPH_PASS_NODE_H_
#define POSEWIRE_LIBS_GRAPH_PASS_NODE_H_

#include <memory>
#include <utility>

#include "libs/graph/node.h"

namespace posewire::graph {

// Passes on weights and playback state; derived classes add their own Evaluate.
class PassNode : public Node {
 public:
  explicit PassNode(std::unique_ptr<Node> below) : below_(std::move(below)) {}

  void Update(const TickContext& ctx, float weight) override { below_->Update(ctx, weight); }
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override {
    below_->Contribute(ctx, share, out);
  }
  double remaining_s() const override { return below_->remaining_s(); }
  double phase() const override { return below_->phase(); }
  void SetPhase(double phase) override { below_->SetPhase(phase); }
  double cycle_s() const override { return below_->cycle_s(); }
  void SetPace(double pace) override { below_->SetPace(pace); }
  void Restart() override { below_->Restart(); }
  const skel::Vec3* camera_at() const override { return below_->camera_at(); }

 protected:
  Node& below() { return *below_; }
  const Node& below() const { return *below_; }

 private:
  std::unique_ptr<Node> below_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_PASS_NODE_H_
