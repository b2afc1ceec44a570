// Makes nodes from a graph's definition, and collects all errors.
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

// Parts that the nodes of all avatars share, by name.
using SharedParts = absl::flat_hash_map<std::string, std::shared_ptr<const void>>;

// Everything that a graph is made from, except its nodes. Must outlive the builder.
struct Stock {
  const v1::AnimationGraph* graph = nullptr;
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const clip::ClipLibrary> clips;  // for the rig
  std::shared_ptr<const VariableSet> variables;
  absl::flat_hash_map<std::string, std::string> aliases;  // alias to name of clip
  std::vector<Arrangement> arrangements;                  // in the graph's order
  std::vector<Timeline> timelines;
  SharedParts shared;
};

// Maximum number of nodes on top of each other, because each uses stack at every tick.
inline constexpr size_t kMostDepth = 100;
// Maximum playing speed of clips; 1 is the original speed.
inline constexpr double kMostClipSpeed = 20;

// Finds a clip by name or alias. Returns null for a built-in clip that this rig cannot play.
// NOT_FOUND lists the names.
absl::StatusOr<const clip::Clip*> FindClip(const Stock& stock, const std::string& name);

// Builds the nodes of one avatar; used once. The build functions of the node kinds (build_*.cc) get
// children and parameters by the name of the field that they read, so that every error names node,
// field, the problem and valid values. An invalid part is reported and replaced by a harmless one,
// so that one pass finds all errors.
class Builder {
 public:
  // Reports errors in `errors`, and stores shared parts in `shared` (null: does not store them).
  Builder(const Stock& stock, Errors& errors, SharedParts* shared = nullptr)
      : stock_(stock), errors_(errors), shared_(shared) {}

  // Builds the graph's output with all nodes below it; null if that is impossible.
  std::unique_ptr<Node> BuildOutput();
  // Nodes by name, as far as they were built.
  absl::flat_hash_map<std::string, Node*>& nodes() { return nodes_; }

  const Stock& stock() const { return stock_; }
  const std::shared_ptr<const skel::Rig>& rig() const { return stock_.rig; }
  // Name of the node that is being built.
  std::string name() const { return path_.back(); }  // a copy, because Child() may move the names

  // Returns an immutable part that all avatars share. The first build of the graph makes it, and
  // later builds find it. One name must always have the same type.
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

  // Builds the node that a field names. Never null: an empty pose replaces a node that is missing,
  // used twice or part of a cycle.
  std::unique_ptr<Node> Child(absl::string_view field, const std::string& node);
  // The same for nodes that use the whole pose and must not see it jump: adds an easing stage on
  // top of the child if any node below may switch.
  std::unique_ptr<Node> EasedChild(absl::string_view field, const std::string& node);
  // Returns null for an empty name.
  std::unique_ptr<Node> OptionalChild(absl::string_view field, const std::string& node);
  // Returns `fallback` if the field is not set. A value outside min..max is an error; values of
  // variables are clamped by the nodes.
  Number MakeNumber(absl::string_view field, bool given, const v1::Number& number, double fallback,
                    double min = -1e9, double max = 1e9);
  // Returns a plain number, checked in the same way.
  double Plain(absl::string_view field, double value, double min, double max);

  // Returns the index of a variable of that type; -1 for an empty name or after an error.
  int Variable(absl::string_view field, const std::string& name, VariableType type);
  // Returns the index of `value` in a choice; reports an error and returns 0 if it is missing.
  int ChoiceOf(absl::string_view field, int variable, absl::string_view value);
  int Event(absl::string_view field, const std::string& name);

  // Returns null after an error, and for a built-in clip that this rig cannot play. Follows
  // aliases.
  const clip::Clip* Clip(absl::string_view field, const std::string& name);
  // Returns the clips of a choice, by index; null if the value is not the name of a clip.
  std::vector<const clip::Clip*> ClipsOfChoice(int variable) const;
  // Returns null if the mask includes everything.
  std::unique_ptr<skel::Mask> MakeMask(absl::string_view field, bool given, const v1::Mask& mask);
  // Finds a joint by path or an unambiguous end of it, or by alias (V2 names are aliases). Returns
  // -1 after an error.
  int Joint(absl::string_view field, const std::string& name);

  void Error(absl::string_view field, absl::string_view text);
  // The rig lacks something that the node needs: an error, unless the graph is for any rig.
  void RigLacks(absl::string_view field, absl::string_view text);

  // For BlinkNode: finds an idle node with that name among those built so far.
  IdleNode* FindIdle(const std::string& name) const;
  std::vector<const ProviderNode*> providers() const { return providers_; }
  void NoteIdle(IdleNode* idle) { idles_[name()] = idle; }
  void NoteProvider(const ProviderNode* provider) { providers_.push_back(provider); }
  // Reports the node that takes part in TakeOver, if it is not the returned one because that is a
  // wrapper.
  void NoteInner(Node* node) { inner_ = node; }

 private:
  std::unique_ptr<Node> Build(const v1::Node& node);
  const v1::Node* Find(const std::string& name) const;

  const Stock& stock_;
  Errors& errors_;
  SharedParts* shared_;
  std::vector<std::string> path_;  // from the output to the node that is being built
  absl::flat_hash_map<std::string, Node*> nodes_;
  // Nodes that are not reachable from the output; others may refer to them.
  std::vector<std::unique_ptr<Node>> apart_;
  absl::flat_hash_map<std::string, std::string> user_of_;  // the user of each node
  absl::flat_hash_map<std::string, IdleNode*> idles_;
  std::vector<const ProviderNode*> providers_;
  Node* inner_ = nullptr;
  bool may_ask_ = false;  // a built node may request easing, and there is no easing stage on top of
                          // it yet
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
