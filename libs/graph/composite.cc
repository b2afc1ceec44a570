#include "libs/graph/composite.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/graph/blink_node.h"
#include "libs/graph/gesture_node.h"
#include "libs/graph/idle_node.h"
#include "libs/graph/map_node.h"
#include "libs/graph/output_node.h"
#include "libs/graph/provider_node.h"

namespace posewire::graph {
namespace {

class Graph : public Composite {
 public:
  Graph(std::shared_ptr<const clip::ClipLibrary> clips, uint64_t seed)
      : clips_(std::move(clips)), rng_(seed) {}

  // The gesture node, if any, stands somewhere below the output.
  void Assemble(std::unique_ptr<Node> output, GestureNode* gestures,
                std::shared_ptr<const skel::Rig> gesture_rig) {
    output_ = std::move(output);
    gestures_ = gestures;
    gesture_rig_ = std::move(gesture_rig);
  }

  void Tick(int64_t tick, double time_s, double dt_s, const Inputs& inputs,
            const skel::PoseSpan& out) override {
    const TickContext ctx{tick, time_s, dt_s, &rng_, &inputs, clips_.get()};
    output_->Update(ctx, 1);
    output_->Evaluate(ctx, out);
    contributions_.count = 0;
    output_->Contribute(1, contributions_);
  }
  const Contributions& contributions() const override { return contributions_; }

  absl::Status SetGesture(absl::string_view name) override {
    if (gestures_ == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat("gesture '", name, "': this graph plays no gestures"));
    }
    if (name == "none") {
      gestures_->Set(nullptr);
      return absl::OkStatus();
    }
    const clip::Clip* clip = clips_ ? clips_->Find(name) : nullptr;
    if (clip == nullptr) {
      std::vector<std::string> known = {"none"};
      for (const auto& c : clips_ ? clips_->clips() : decltype(clips_->clips()){}) {
        known.push_back(c->name());
      }
      return absl::NotFoundError(
          absl::StrCat("no gesture '", name, "'; known are ", absl::StrJoin(known, ", ")));
    }
    if (clip->rig() != gesture_rig_) {
      return absl::FailedPreconditionError(
          absl::StrCat("gesture '", name, "' is made for rig '", clip->rig()->name(),
                       "'; this graph plays gestures of '", gesture_rig_->name(), "'"));
    }
    gestures_->Set(clip);
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<const clip::ClipLibrary> clips_;
  Random rng_;
  std::unique_ptr<Node> output_;
  GestureNode* gestures_ = nullptr;
  std::shared_ptr<const skel::Rig> gesture_rig_;
  Contributions contributions_;
};

// The rig that idle and gestures are made on: the one of the clips, else the standard rig.
std::shared_ptr<const skel::Rig> SourceRig(const clip::ClipLibrary* clips,
                                           const std::shared_ptr<const skel::Rig>& rig) {
  if (clips != nullptr) {
    for (const auto& c : clips->clips()) {
      if (gesture::Body::Make(*c->rig()).ok()) return c->rig();
    }
  }
  if (gesture::Body::Make(*rig).ok()) return rig;
  const auto catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return rig;
  return catalog->Find("hanim_loa3").value_or(rig);
}

std::unique_ptr<Node> CarryOver(const std::shared_ptr<const skel::Rig>& from,
                                const std::shared_ptr<const skel::Rig>& to,
                                std::unique_ptr<Node> node) {
  if (from == to) return node;
  absl::StatusOr<skel::RigMap> map = skel::RigMap::Make(from, to);
  // A rig that shares nothing with a human body is moved by its providers alone.
  if (!map.ok()) return nullptr;
  return std::make_unique<MapNode>(*std::move(map), std::move(node));
}

void AssembleDefault(const std::shared_ptr<const skel::Rig>& rig, const clip::ClipLibrary* clips,
                     Graph& graph) {
  const std::shared_ptr<const skel::Rig> source = SourceRig(clips, rig);
  absl::StatusOr<std::unique_ptr<IdleNode>> idle = IdleNode::Make(source);
  std::unique_ptr<Node> body;
  IdleNode* idle_node = nullptr;
  GestureNode* gestures = nullptr;
  if (idle.ok()) {
    idle_node = idle->get();
    auto gesture = std::make_unique<GestureNode>(source, *std::move(idle));
    gestures = gesture.get();
    body = CarryOver(source, rig, std::move(gesture));
    if (body == nullptr) gestures = nullptr, idle_node = nullptr;
  }
  auto providers = std::make_unique<ProviderNode>(rig, std::move(body), /*ease=*/true);
  const ProviderNode* provider_node = providers.get();
  std::unique_ptr<Node> top = std::move(providers);
  if (idle_node != nullptr) {
    top = std::make_unique<BlinkNode>(*rig, std::move(top), idle_node, provider_node);
  }
  graph.Assemble(std::make_unique<OutputNode>(rig, std::move(top)), gestures, source);
}

}  // namespace

std::unique_ptr<Composite> Composite::Make(GraphKind kind, std::shared_ptr<const skel::Rig> rig,
                                           std::shared_ptr<const clip::ClipLibrary> clips,
                                           uint64_t seed) {
  auto graph = std::make_unique<Graph>(clips, seed);
  if (kind == GraphKind::kPassthrough) {
    auto providers = std::make_unique<ProviderNode>(rig, nullptr, /*ease=*/false);
    graph->Assemble(std::make_unique<OutputNode>(rig, std::move(providers)), nullptr, nullptr);
  } else {
    AssembleDefault(rig, clips.get(), *graph);
  }
  return graph;
}

}  // namespace posewire::graph
