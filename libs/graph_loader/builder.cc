#include "libs/graph_loader/builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/graph/ease_stage.h"
#include "libs/graph_loader/carry_clips.h"
#include "libs/graph_loader/quoted.h"
#include "libs/names/known_names.h"
#include "libs/skel/rig_parser.h"

namespace posewire::graph {
namespace {

// A graph may name these even if the rig has other shapes.
bool IsStandardShape(absl::string_view name) {
  const auto all = skel::BuiltinShapes("arkit68");
  return all.ok() && std::find(all->begin(), all->end(), name) != all->end();
}

// Returns whether nodes of this kind can make their pose jump.
bool MaySwitch(const v1::Node& node) {
  switch (node.kind_case()) {
    case v1::Node::kIdle:
    case v1::Node::kPose:
    case v1::Node::kBlink:
    case v1::Node::kUserActs:
    case v1::Node::kUserPose:
    case v1::Node::kListen:
    case v1::Node::kLookAt:
    case v1::Node::kTurnTo:
    case v1::Node::kWalkTo:
    case v1::Node::kLimits:
    case v1::Node::kPin:
    case v1::Node::kTwoBoneIk:
    case v1::Node::kFeet:
    case v1::Node::kFaceJoints:
    case v1::Node::kSelfCollision:
    case v1::Node::kCamera:
      return false;
    default:
      return true;
  }
}

// Replaces a node that could not be built.
class EmptyNode : public Node {
 public:
  void Update(const TickContext&, float) override {}
  void Evaluate(const TickContext&, const skel::PoseSpan& out) override { out.ClearPresence(); }
};

}  // namespace

std::shared_ptr<const BodyParts> Builder::body_parts() {
  return Shared("body parts", [&] { return std::make_shared<const BodyParts>(rig()); });
}

const v1::Node* Builder::Find(const std::string& name) const {
  for (const v1::Node& node : stock_.graph->nodes()) {
    if (node.name() == name) return &node;
  }
  return nullptr;
}

std::unique_ptr<Node> Builder::BuildOutput() {
  const std::string& output = stock_.graph->output();
  if (Find(output) == nullptr) {
    std::vector<std::string> names;
    for (const v1::Node& node : stock_.graph->nodes()) names.push_back(node.name());
    errors_.Add(
        absl::StrCat("output: there is no node ", Quoted(output), KnownNames(output, names)));
    return nullptr;
  }
  path_.push_back("output");
  const v1::Node* node = Find(output);
  const bool plain = node->has_provider() && node->provider().plain();
  auto top = plain ? Child("output", output) : EasedChild("output", output);
  // Nodes use nodes that were defined before them, so unreachable subtrees are found from their
  // top, starting at the end. They are built only to be checked. If a reference leads nowhere, one
  // of these may be the intended node.
  const bool sound = errors_.empty();
  for (int i = stock_.graph->nodes_size() - 1; i >= 0; --i) {
    const std::string& name = stock_.graph->nodes(i).name();
    if (name.empty() || user_of_.contains(name)) continue;
    if (sound) {
      errors_.Add("node", name, "",
                  "no other node names it, so it would never be seen; name it in one, or take it "
                  "out");
    }
    apart_.push_back(Child("output", name));
  }
  return top;
}

std::unique_ptr<Node> Builder::Child(absl::string_view field, const std::string& name) {
  const v1::Node* node = Find(name);
  if (name.empty() || node == nullptr) {
    std::vector<std::string> names;
    for (const v1::Node& n : stock_.graph->nodes()) names.push_back(n.name());
    Error(field, name.empty()
                     ? "a node must be named here"
                     : absl::StrCat("there is no node ", Quoted(name), KnownNames(name, names)));
    return std::make_unique<EmptyNode>();
  }
  if (std::find(path_.begin(), path_.end(), name) != path_.end()) {
    Error(field, absl::StrCat("node ", Quoted(name),
                              " is above itself: ", absl::StrJoin(path_, " -> "), " -> ", name));
    return std::make_unique<EmptyNode>();
  }
  const auto [user, fresh] = user_of_.emplace(name, path_.back());
  if (!fresh) {
    Error(field, absl::StrCat("node ", Quoted(name), " is already used by ", Quoted(user->second),
                              "; a node has one user: copy it under another name"));
    return std::make_unique<EmptyNode>();
  }
  if (path_.size() > kMostDepth) {
    Error(field, absl::StrCat("node ", Quoted(name), " has ", kMostDepth,
                              " nodes above it; no more than that may be"));
    return std::make_unique<EmptyNode>();
  }
  path_.push_back(name);
  inner_ = nullptr;
  auto built = Build(*node);
  if (built == nullptr) built = std::make_unique<EmptyNode>();
  may_ask_ = may_ask_ || MaySwitch(*node);
  nodes_[name] = inner_ != nullptr ? inner_ : built.get();
  inner_ = nullptr;
  path_.pop_back();
  return built;
}

std::unique_ptr<Node> Builder::EasedChild(absl::string_view field, const std::string& node) {
  const bool beside = std::exchange(may_ask_, false);
  auto child = Child(field, node);
  if (may_ask_) {
    child = std::make_unique<EaseStage>(rig(), std::move(child));
    nodes_[absl::StrCat("eased below ", name())] = child.get();
  }
  may_ask_ = beside;
  return child;
}

std::unique_ptr<Node> Builder::OptionalChild(absl::string_view field, const std::string& node) {
  return node.empty() ? nullptr : Child(field, node);
}

double Builder::Plain(absl::string_view field, double value, double min, double max) {
  if (std::isfinite(value) && value >= min && value <= max) return value;
  Error(field, absl::StrFormat("%g is not within %g..%g", value, min, max));
  return std::clamp(0.0, min, max);
}

Number Builder::MakeNumber(absl::string_view field, bool given, const v1::Number& number,
                           double fallback, double min, double max) {
  if (!given) return Number(fallback);
  const double scale = number.has_scale() ? number.scale() : 1;
  if (!std::isfinite(scale) || !std::isfinite(number.offset())) {
    Error(field, "scale and offset must be finite");
    return Number(fallback);
  }
  if (number.from_case() != v1::Number::kVariable) {
    return Number(Plain(field, number.value() * scale + number.offset(), min, max));
  }
  const int variable = stock_.variables->Find(number.variable());
  if (variable < 0) {
    Error(field, std::string(stock_.variables->Index(number.variable()).status().message()));
    return Number(fallback);
  }
  if (stock_.variables->spec(variable).type == VariableType::kVector) {
    Error(field, absl::StrCat("variable ", Quoted(number.variable()),
                              " is a vector; a number, flag or choice is needed"));
    return Number(fallback);
  }
  return Number::Follow(variable, scale, number.offset(),
                        Plain(absl::StrCat(field, ".smooth_s"), number.smooth_s(), 0, 60), min,
                        max);
}

int Builder::Variable(absl::string_view field, const std::string& name, VariableType type) {
  if (name.empty()) return -1;
  const auto index = stock_.variables->Index(name);
  if (!index.ok()) {
    Error(field, std::string(index.status().message()));
    return -1;
  }
  const VariableType is = stock_.variables->spec(*index).type;
  if (is == type) return *index;
  Error(field, absl::StrCat("variable ", Quoted(name), " is a ", NameOf(is), "; a ", NameOf(type),
                            " is needed"));
  return -1;
}

int Builder::ChoiceOf(absl::string_view field, int variable, absl::string_view value) {
  if (variable < 0) return 0;
  const VariableSpec& spec = stock_.variables->spec(variable);
  const int choice = spec.FindChoice(value);
  if (choice >= 0) return choice;
  Error(field, absl::StrCat("variable ", Quoted(spec.name), " has no value ", Quoted(value),
                            KnownNames(value, spec.values)));
  return 0;
}

int Builder::Event(absl::string_view field, const std::string& name) {
  const std::vector<std::string> events(stock_.graph->events().begin(),
                                        stock_.graph->events().end());
  const auto it = std::find(events.begin(), events.end(), name);
  if (it != events.end()) return static_cast<int>(it - events.begin());
  Error(field, absl::StrCat("the graph has no event ", Quoted(name), KnownNames(name, events)));
  return -1;
}

absl::StatusOr<const clip::Clip*> FindClip(const Stock& stock, const std::string& name) {
  const auto alias = stock.aliases.find(name);
  const std::string& real = alias == stock.aliases.end() ? name : alias->second;
  const clip::Clip* clip = stock.clips->Find(real);
  if (clip != nullptr || MayBeMissing(real)) return clip;
  std::vector<std::string> names;
  for (const auto& c : stock.clips->clips()) names.push_back(c->name());
  return absl::NotFoundError(
      absl::StrCat("there is no clip ", Quoted(name), KnownNames(name, names)));
}

const clip::Clip* Builder::Clip(absl::string_view field, const std::string& name) {
  const auto clip = FindClip(stock_, name);
  if (clip.ok()) return *clip;
  Error(field, clip.status().message());
  return nullptr;
}

std::vector<const clip::Clip*> Builder::ClipsOfChoice(int variable) const {
  std::vector<const clip::Clip*> clips;
  if (variable < 0) return clips;
  for (const std::string& value : stock_.variables->spec(variable).values) {
    const auto alias = stock_.aliases.find(value);
    clips.push_back(stock_.clips->Find(alias == stock_.aliases.end() ? value : alias->second));
  }
  return clips;
}

std::unique_ptr<skel::Mask> Builder::MakeMask(absl::string_view field, bool given,
                                              const v1::Mask& from) {
  if (!given) return nullptr;
  const skel::Rig& rig = *stock_.rig;
  const bool named = from.regions_size() + from.joints_size() + from.shapes_size() > 0;
  auto mask = std::make_unique<skel::Mask>(rig, named ? 0.0f : 1.0f);
  for (const std::string& region : from.regions()) {
    const auto part = skel::Mask::Region(rig, region);
    if (!part.ok()) {
      Error(absl::StrCat(field, ".regions"), part.status().message());
      continue;
    }
    for (int j = 0; j < rig.joints(); ++j) {
      mask->set_joint(j, std::max(mask->joint(j), part->joint(j)));
    }
    for (int s = 0; s < rig.shapes(); ++s) {
      mask->set_shape(s, std::max(mask->shape(s), part->shape(s)));
    }
  }
  for (const auto& joint : from.joints()) {
    const std::string where = absl::StrCat(field, ".joints");
    const auto weight = static_cast<float>(Plain(where, joint.weight(), 0, 1));
    const int j = rig.FindJoint(joint.joint());
    if (j < 0) {
      Error(where, absl::StrCat("rig ", rig.name(), " has no joint ", Quoted(joint.joint()),
                                KnownNames(joint.joint(), rig.joint_names())));
    } else if (joint.only()) {
      mask->set_joint(j, weight);
    } else if (absl::Status s = mask->SetSubtree(rig, joint.joint(), weight); !s.ok()) {
      Error(where, s.message());
    }
  }
  for (const auto& shape : from.shapes()) {
    const std::string where = absl::StrCat(field, ".shapes");
    const auto weight = static_cast<float>(Plain(where, shape.weight(), 0, 1));
    absl::Status s = mask->SetShape(rig, shape.shape(), weight);
    if (!s.ok() && !IsStandardShape(shape.shape())) Error(where, s.message());
  }
  if (from.invert()) {
    for (int j = 0; j < rig.joints(); ++j) mask->set_joint(j, 1 - mask->joint(j));
    for (int s = 0; s < rig.shapes(); ++s) mask->set_shape(s, 1 - mask->shape(s));
  }
  return mask;
}

int Builder::Joint(absl::string_view field, const std::string& name) {
  const int joint = stock_.rig->FindJoint(name);
  if (joint < 0) {
    Error(field, absl::StrCat("rig ", stock_.rig->name(), " has no joint ", Quoted(name),
                              KnownNames(name, stock_.rig->joint_names())));
  }
  return joint;
}

void Builder::Error(absl::string_view field, absl::string_view text) {
  errors_.Add("node", path_.back(), field, text);
}

void Builder::RigLacks(absl::string_view field, absl::string_view text) {
  if (!stock_.graph->any_rig()) Error(field, text);
}

IdleNode* Builder::FindIdle(const std::string& name) const {
  const auto it = idles_.find(name);
  return it == idles_.end() ? nullptr : it->second;
}

}  // namespace posewire::graph
