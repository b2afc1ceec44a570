// Makes nodes from their written form, and notes every error on the way.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_BUILDER_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_BUILDER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip_library.h"
#include "libs/graph/arrangement.h"
#include "libs/graph/body_parts.h"
#include "libs/graph/idle_node.h"
#include "libs/graph/node.h"
#include "libs/graph/number.h"
#include "libs/graph/provider_node.h"
#include "libs/graph/timeline.h"
#include "libs/graph/variables.h"
#include "libs/graph_loader/errors.h"
#include "libs/skel/mask.h"
#include "libs/skel/rig.h"
#include "posewire.graph.v1.pb.h"

namespace posewire::graph {

// What the nodes of all avatars share, by what it is.
using SharedParts = absl::flat_hash_map<std::string, std::shared_ptr<const void>>;

// What a graph is made of, beside its nodes. Outlives the builder.
struct Stock {
  const v1::AnimationGraph* graph = nullptr;
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const clip::ClipLibrary> clips;  // of the rig
  std::shared_ptr<const VariableSet> variables;
  absl::flat_hash_map<std::string, std::string> aliases;  // to names of clips
  std::vector<Arrangement> arrangements;                  // in the graph's order
  std::vector<Timeline> timelines;
  SharedParts shared;
};

// Nodes that may stand above one another: each takes stack at every tick.
inline constexpr size_t kMostDepth = 100;
// Clips are played no faster than this, where 1 is as they are.
inline constexpr double kMostClipSpeed = 20;

// By name or alias; null for a built-in clip that this rig cannot play. NOT_FOUND lists the names.
absl::StatusOr<const clip::Clip*> FindClip(const Stock& stock, const std::string& name);

// Used once, for one avatar's nodes. The build functions of the node kinds (build_*.cc) ask it for
// children and parameters by the name of the field that they read, so that every error can say
// node, field, what is wrong and what would be right. What is wrong is noted and replaced by
// something harmless, so that one pass finds all errors.
class Builder {
 public:
  // What is wrong is noted in `errors`. What avatars share is noted in `shared` (null: is not).
  Builder(const Stock& stock, Errors& errors, SharedParts* shared = nullptr)
      : stock_(stock), errors_(errors), shared_(shared) {}

  // The graph's output with all below it; null when that is impossible.
  std::unique_ptr<Node> BuildOutput();
  // Nodes by name, as far as they were built.
  absl::flat_hash_map<std::string, Node*>& nodes() { return nodes_; }

  const Stock& stock() const { return stock_; }
  const std::shared_ptr<const skel::Rig>& rig() const { return stock_.rig; }
  // Of the node that is being built.
  std::string name() const { return path_.back(); }  // a copy: Child() moves the names

  // Something immutable that all avatars share: made by the first build of the graph, found by
  // those that follow. One name, one type.
  template <typename Make>
  auto Shared(const std::string& what, Make make) -> decltype(make()) {
    using T = typename decltype(make())::element_type;
    const auto found = stock_.shared.find(what);
    if (found != stock_.shared.end()) return std::static_pointer_cast<T>(found->second);
    auto made = make();
    if (shared_ != nullptr && made != nullptr) shared_->emplace(what, made);
    return made;
  }
  std::shared_ptr<const BodyParts> body_parts();

  // The node that a field names. Never null: an empty pose stands in for one that is missing,
  // used twice or part of a ring.
  std::unique_ptr<Node> Child(absl::string_view field, const std::string& node);
  // The same, for nodes that look at the whole pose and must not see it jump: with a stage above it
  // that eases, if anything there may switch.
  std::unique_ptr<Node> EasedChild(absl::string_view field, const std::string& node);
  // Null for an empty name.
  std::unique_ptr<Node> OptionalChild(absl::string_view field, const std::string& node);
  // `fallback` where the field is not given. Outside min..max is an error; variables are held
  // within it by the nodes.
  Number MakeNumber(absl::string_view field, bool given, const v1::Number& number, double fallback,
                    double min = -1e9, double max = 1e9);
  // A plain number, checked the same; 0 means `fallback` where that is how the field is written.
  double Plain(absl::string_view field, double value, double min, double max);

  // Index of a variable of that type; -1 for an empty name or after an error.
  int Variable(absl::string_view field, const std::string& name, VariableType type);
  // Index of `value` in a choice; an error and 0 when it is missing.
  int ChoiceOf(absl::string_view field, int variable, absl::string_view value);
  int Event(absl::string_view field, const std::string& name);

  // Null after an error, and for a built-in clip that this rig cannot play; aliases are followed.
  const clip::Clip* Clip(absl::string_view field, const std::string& name);
  // Of a choice, by index; null where the value names no clip.
  std::vector<const clip::Clip*> ClipsOfChoice(int variable) const;
  // Null when the mask takes everything.
  std::unique_ptr<skel::Mask> MakeMask(absl::string_view field, bool given, const v1::Mask& mask);
  // By path or an unambiguous end of it, or by alias (V2 names are aliases); -1 after an error.
  int Joint(absl::string_view field, const std::string& name);

  void Error(absl::string_view field, absl::string_view text);
  // The rig lacks what the node needs: an error, unless the graph is for any rig.
  void RigLacks(absl::string_view field, absl::string_view text);

  // For BlinkNode: nodes that were built before under that name.
  IdleNode* FindIdle(const std::string& name) const;
  std::vector<const ProviderNode*> providers() const { return providers_; }
  void NoteIdle(IdleNode* idle) { idles_[name()] = idle; }
  void NoteProvider(const ProviderNode* provider) { providers_.push_back(provider); }
  // The node that takes part in TakeOver where it is not the one that was returned (it was
  // wrapped).
  void NoteInner(Node* node) { inner_ = node; }

 private:
  std::unique_ptr<Node> Build(const v1::Node& node);
  const v1::Node* Find(const std::string& name) const;

  const Stock& stock_;
  Errors& errors_;
  SharedParts* shared_;
  std::vector<std::string> path_;  // from the output to the node that is being built
  absl::flat_hash_map<std::string, Node*> nodes_;
  // Subtrees that the output does not reach; others may know their nodes.
  std::vector<std::unique_ptr<Node>> apart_;
  absl::flat_hash_map<std::string, std::string> user_of_;  // of each node
  absl::flat_hash_map<std::string, IdleNode*> idles_;
  std::vector<const ProviderNode*> providers_;
  Node* inner_ = nullptr;
  bool may_ask_ = false;  // something that was built asks for easing, and no stage is above it yet
};

// One function for each kind of node.
std::unique_ptr<Node> BuildNode(const v1::ClipNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::PoseNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::ProviderNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::GestureNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::RestsNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::SpeechGestureNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::LayerNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::IdleNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::BlinkNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::ArrangementNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::TimelineNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::BlendNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::BlendSpace1DNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::BlendSpace2DNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::AdditiveNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::StateMachineNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::MirrorNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::DelayNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::UserPoseNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::UserActsNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::HandNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::LookAtNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::ListenNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::TurnToNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::WalkToNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::LimitsNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::SelfCollisionNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::PinNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::TwoBoneIkNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::FeetNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::FaceJointsNode& node, Builder& b);
std::unique_ptr<Node> BuildNode(const v1::CameraNode& node, Builder& b);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_BUILDER_H_
