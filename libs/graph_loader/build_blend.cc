// Builds clips and poses, and nodes that blend, add and layer them.
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/graph/additive_node.h"
#include "libs/graph/blend_node.h"
#include "libs/graph/blend_space_2d_node.h"
#include "libs/graph/clip_node.h"
#include "libs/graph/layer_node.h"
#include "libs/graph/pose_node.h"
#include "libs/graph/rest_fill.h"
#include "libs/graph_loader/builder.h"

namespace posewire::graph {
namespace {

constexpr double kMostAmplitude = 4;
constexpr double kFar = 1e6;

// Returns a field such as "points[2].node".
std::string Field(absl::string_view list, int i, absl::string_view field) {
  return absl::StrCat(list, "[", i, "].", field);
}

// Checks that marks rise within 0..end.
void CheckMarks(const v1::ClipNode& node, const clip::Clip& clip, Builder& b) {
  double last = -1;
  for (const double mark : node.sync_marks_s()) {
    if (!std::isfinite(mark) || mark <= last || mark < 0 || mark >= clip.duration_s()) {
      b.Error("sync_marks_s",
              absl::StrFormat("%g must be above the mark before it and within 0..%g, the length of "
                              "clip \"%s\"",
                              mark, clip.duration_s(), clip.name()));
      return;
    }
    last = mark;
  }
}

void ChooseClip(const v1::ClipNode& node, Builder& b, ClipNode& clip) {
  if (node.which_case() == v1::ClipNode::kClip) {
    const clip::Clip* which = b.Clip("clip", node.clip());
    if (which == nullptr) return;
    clip.set_offset_s(b.Plain("offset_s", node.offset_s(), 0, which->duration_s()));
    CheckMarks(node, *which, b);
    clip.Play(which);
    return;
  }
  if (node.variable().empty()) {
    b.Error("clip", "a clip, or a choice of clips in the field variable, must be named");
    return;
  }
  const int variable = b.Variable("variable", node.variable(), VariableType::kChoice);
  if (variable < 0) return;
  clip.set_offset_s(b.Plain("offset_s", node.offset_s(), 0, 3600));
  std::vector<const clip::Clip*> clips = b.ClipsOfChoice(variable);
  bool any = false;
  for (const clip::Clip* c : clips) {
    any = any || c != nullptr;
    if (c != nullptr) CheckMarks(node, *c, b);
  }
  if (!any) {
    b.Error("variable", absl::StrCat("no value of variable \"", node.variable(),
                                     "\" names a clip; give it names of clips, or values_from"));
  }
  clip.Follow(variable, std::move(clips));
}

// Builds the nodes that the inputs or points of a blend name.
template <typename List>
std::vector<std::unique_ptr<Node>> Children(absl::string_view field, const List& list, Builder& b) {
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < list.size(); ++i) {
    nodes.push_back(b.Child(Field(field, i, "node"), list[i].node()));
  }
  if (nodes.empty()) b.Error(field, "at least one must be given");
  return nodes;
}

}  // namespace

std::unique_ptr<Node> BuildNode(const v1::ClipNode& node, Builder& b) {
  auto clip = std::make_unique<ClipNode>();
  ChooseClip(node, b, *clip);
  clip->set_speed(
      b.MakeNumber("speed", node.has_speed(), node.speed(), 1, -kMostClipSpeed, kMostClipSpeed));
  clip->set_amplitude(
      b.MakeNumber("amplitude", node.has_amplitude(), node.amplitude(), 1, 0, kMostAmplitude));
  if (node.has_loop()) clip->set_loop(node.loop());
  clip->set_sync_marks({node.sync_marks_s().begin(), node.sync_marks_s().end()});
  if (node.has_amplitude()) clip->WatchTurns(b.rig()->joints());
  return clip;
}

std::unique_ptr<Node> BuildNode(const v1::PoseNode& node, Builder& b) {
  auto made = b.Shared("pose " + b.name(), [&] {
    skel::Pose pose(b.rig()->joints(), b.rig()->shapes());
    if (node.clip().empty()) {
      if (node.time_s() != 0) b.Error("time_s", "a time needs a clip; name one in the field clip");
      pose.span().CopyFrom(b.rig()->rest());
    } else if (const clip::Clip* clip = b.Clip("clip", node.clip())) {
      clip->Sample(b.Plain("time_s", node.time_s(), 0, clip->duration_s()), pose.span());
      if (node.fill()) FillFromRest(b.rig()->rest(), pose.span());
    }
    return std::make_shared<const skel::Pose>(std::move(pose));
  });
  return std::make_unique<PoseNode>(std::move(made));
}

std::unique_ptr<Node> BuildNode(const v1::BlendNode& node, Builder& b) {
  auto inputs = Children("inputs", node.inputs(), b);
  if (inputs.empty()) return nullptr;
  std::vector<Number> weights;
  for (int i = 0; i < node.inputs_size(); ++i) {
    const auto& input = node.inputs(i);
    weights.push_back(
        b.MakeNumber(Field("inputs", i, "weight"), input.has_weight(), input.weight(), 1, 0, 1));
  }
  return std::make_unique<BlendNode>(*b.rig(), std::move(inputs), std::move(weights), node.sync());
}

std::unique_ptr<Node> BuildNode(const v1::BlendSpace1DNode& node, Builder& b) {
  auto inputs = Children("points", node.points(), b);
  std::vector<double> places;
  for (int i = 0; i < node.points_size(); ++i) {
    places.push_back(b.Plain(Field("points", i, "x"), node.points(i).x(), -kFar, kFar));
    for (int k = 0; k < i; ++k) {
      if (places[static_cast<size_t>(k)] != places.back()) continue;
      b.Error(Field("points", i, "x"),
              absl::StrFormat("points %d and %d both stand at %g; each needs a place of its own", k,
                              i, places.back()));
    }
  }
  if (!node.has_x()) b.Error("x", "a number, or a variable that it follows, must be given");
  Number x = b.MakeNumber("x", node.has_x(), node.x(), 0, -kFar, kFar);
  if (inputs.empty()) return nullptr;
  return std::make_unique<BlendSpace1DNode>(*b.rig(), std::move(inputs), std::move(places), x,
                                            node.sync());
}

std::unique_ptr<Node> BuildNode(const v1::BlendSpace2DNode& node, Builder& b) {
  auto inputs = Children("points", node.points(), b);
  std::vector<PlanePoint> places;
  bool apart = true;
  for (int i = 0; i < node.points_size(); ++i) {
    places.push_back({b.Plain(Field("points", i, "x"), node.points(i).x(), -kFar, kFar),
                      b.Plain(Field("points", i, "y"), node.points(i).y(), -kFar, kFar)});
    for (int k = 0; k < i; ++k) {
      const PlanePoint& other = places[static_cast<size_t>(k)];
      if (other.x != places.back().x || other.y != places.back().y) continue;
      apart = false;
      b.Error(Field("points", i, "x"),
              absl::StrFormat("points %d and %d both stand at (%g, %g); each needs a place of its "
                              "own",
                              k, i, other.x, other.y));
    }
  }
  if (!node.has_x()) b.Error("x", "a number, or a variable that it follows, must be given");
  if (!node.has_y()) b.Error("y", "a number, or a variable that it follows, must be given");
  Number x = b.MakeNumber("x", node.has_x(), node.x(), 0, -kFar, kFar);
  Number y = b.MakeNumber("y", node.has_y(), node.y(), 0, -kFar, kFar);
  if (inputs.empty() || !apart) return nullptr;
  return std::make_unique<BlendSpace2DNode>(*b.rig(), std::move(inputs), std::move(places), x, y,
                                            node.sync());
}

std::unique_ptr<Node> BuildNode(const v1::AdditiveNode& node, Builder& b) {
  auto below = b.Child("below", node.below());
  auto delta = b.Child("delta", node.delta());
  auto reference = b.OptionalChild("reference", node.reference());
  auto additive = std::make_unique<AdditiveNode>(b.rig(), std::move(below), std::move(delta),
                                                 std::move(reference));
  additive->set_weight(b.MakeNumber("weight", node.has_weight(), node.weight(), 1, 0, 1));
  if (auto mask = b.MakeMask("mask", node.has_mask(), node.mask())) {
    additive->set_mask(*std::move(mask));
  }
  return additive;
}

std::unique_ptr<Node> BuildNode(const v1::LayerNode& node, Builder& b) {
  auto below = b.Child("below", node.below());
  auto layer = b.Child("layer", node.layer());
  auto built = std::make_unique<LayerNode>(b.rig(), std::move(below), std::move(layer));
  built->set_weight(b.MakeNumber("weight", node.has_weight(), node.weight(), 1, 0, 1));
  if (auto mask = b.MakeMask("mask", node.has_mask(), node.mask()))
    built->set_mask(*std::move(mask));
  return built;
}

}  // namespace posewire::graph
