#include "libs/formats/gltf/animation.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/asset/motion.h"
#include "libs/skel/body.h"
#include "libs/skel/rig_limits.h"

namespace posewire::gltf {
namespace {

using skel::Quat;
using skel::Vec3;

constexpr size_t kListedAnimations = 16;
// The left eye's position from the head bone, in a VRM animation that only has a common gaze.
constexpr Vec3 kEye = {0.03f, 0.06f, 0.06f};

// Returns the index of the chosen animation.
absl::StatusOr<size_t> Choose(const Json& animations, const std::string& which) {
  const size_t count = animations.size();
  if (count == 0) return absl::InvalidArgumentError("the file has no animation, and so is no clip");
  if (which.empty()) return 0;
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    names.push_back(animations.At(i)["name"].Text());
    if (names.back() == which) return i;
  }
  size_t number = 0;
  if (absl::SimpleAtoi(which, &number) && number < count) return number;
  const bool all = count <= kListedAnimations;
  if (!all) names.resize(kListedAnimations);
  return absl::InvalidArgumentError(absl::StrCat("there is no animation \"", which, "\"; there ",
                                                 count == 1 ? "is " : "are ", count, ": ",
                                                 absl::StrJoin(names, ", "), all ? "" : ", ..."));
}

bool IsGazeShape(int arkit) {
  return absl::StartsWith(vmc::ArkitNames()[static_cast<size_t>(arkit)], "EyeLook");
}

void Sort(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
}

}  // namespace

absl::StatusOr<GltfAnimation> GltfAnimation::Read(Document& document, const std::string& which) {
  const Json animations = document.root()["animations"];
  const absl::StatusOr<size_t> chosen = Choose(animations, which);
  if (!document.status().ok()) return document.status();
  if (!chosen.ok()) return chosen.status();
  return ReadOne(document, *chosen, GltfAnimation());
}

absl::StatusOr<GltfAnimation> GltfAnimation::ReadCharacter(Document& document,
                                                           const NodeScene& scene,
                                                           size_t character) {
  GltfAnimation out;
  out.own_.resize(scene.owners.size());
  for (size_t i = 0; i < scene.owners.size(); ++i) {
    out.own_[i] = scene.owners[i] == static_cast<int>(character);
  }
  out.onto_ = asset::Into(scene.scene.characters[character].place);
  out.onto_turn_ = skel::Decompose(out.onto_).rotation;
  return ReadOne(document, scene.characters[character].animation, std::move(out));
}

absl::StatusOr<GltfAnimation> GltfAnimation::ReadOne(Document& document, size_t animation,
                                                     GltfAnimation out) {
  const Json animations = document.root()["animations"];
  out.ReadNodes(document);
  for (size_t i = 0; i < out.own_.size(); ++i) {
    if (!out.own_[i]) out.tree_[i].skinned = false;
  }
  if (document.status().ok()) out.ReadVrmAnimation(document);
  if (document.status().ok()) out.ReadChannels(document, animations.At(animation));
  if (document.status().ok()) out.AddEyes();
  if (!document.status().ok()) return document.status();
  if (absl::Status s = out.ChooseJoints(); !s.ok()) return s;
  // A skin that nothing moves does not determine its joints.
  if (std::none_of(out.order_.begin(), out.order_.end(),
                   [&](int i) { return out.nodes_[static_cast<size_t>(i)].moves; })) {
    out.order_.clear();
    out.joint_nodes_.clear();
    out.joints_.clear();
    for (JointNode& node : out.tree_) node.joint = -1;
  }
  out.pose_.resize(out.joints_.size());
  out.skeleton_ = out.RestOfJoints();
  if (absl::Status s = out.FindTimes(); !s.ok()) return s;
  if (out.pose_times_.empty() && out.weight_times_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("animations[", animation, "] moves neither a joint nor a morph target"));
  }
  return out;
}

void GltfAnimation::ReadNodes(Document& document) {
  const Json nodes = document.root()["nodes"];
  tree_ = ReadJointNodes(document);
  nodes_.resize(nodes.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    const skel::Trs parts = TransformOf(nodes.At(i));
    node.translation = parts.translation;
    node.rotation = parts.rotation;
    node.scale = parts.scale;
  }
}

void GltfAnimation::ReadVrmAnimation(Document& document) {
  const Json vrm = document.root()["extensions"]["VRMC_vrm_animation"];
  if (!vrm.exists()) return;
  const Json bones = vrm["humanoid"]["humanBones"];
  for (const std::string& bone : bones.Names()) {
    const int index = bones[bone]["node"].Index(nodes_.size());
    if (index < 0) continue;
    if (bone == "head") head_ = index;
    tree_[static_cast<size_t>(index)].name = absl::StrReplaceAll(bone, {{"/", "_"}});
    tree_[static_cast<size_t>(index)].skinned = true;
  }
  for (const absl::string_view kind : {"preset", "custom"}) {
    const Json all = vrm["expressions"][kind];
    for (const std::string& name : all.Names()) {
      const int index = all[name]["node"].Index(nodes_.size());
      if (index < 0 || nodes_[static_cast<size_t>(index)].expression >= 0) continue;
      nodes_[static_cast<size_t>(index)].expression = static_cast<int>(expressions_.size());
      Expression& expression = expressions_.emplace_back();
      expression.id = vmc::FindExpression(name);
      if (expression.id.arkit >= 0 || expression.id.preset >= 0) continue;
      expression.shape = static_cast<int>(shapes_.size());
      if (taken_shapes_.insert(name).second) {
        shapes_.push_back(name);
      } else {
        expression.shape = -1;
      }
    }
  }
  look_at_ = vrm["lookAt"]["node"].Index(nodes_.size());
  if (expressions_.empty()) return;
  for (const absl::string_view arkit : vmc::ArkitNames()) {
    std::string name(arkit);
    name[0] = absl::ascii_tolower(static_cast<unsigned char>(name[0]));
    taken_shapes_.insert(name);
    arkit_shapes_.push_back(static_cast<int>(shapes_.size()));
    shapes_.push_back(std::move(name));
  }
}

void GltfAnimation::ReadExpression(Document& document, int node, const Json& sampler) {
  ReadSampler(document, sampler, 3, false);
  if (!document.status().ok()) return;
  const int expression = nodes_[static_cast<size_t>(node)].expression;
  expressions_[static_cast<size_t>(expression)].sampler = static_cast<int>(samplers_.size()) - 1;
}

void GltfAnimation::ReadSampler(Document& document, const Json& sampler, size_t width, bool turns) {
  if (auto read = Sampler::Read(document, sampler, width, turns)) {
    samplers_.push_back(*std::move(read));
  }
}

void GltfAnimation::ReadWeights(Document& document, const Json& node, const Json& sampler) {
  const Json meshes = document.root()["meshes"];
  const int index = node["mesh"].Index(meshes.size());
  if (index < 0) return;  // it moves nothing
  const Json mesh = meshes.At(static_cast<size_t>(index));
  // Extras may have any type.
  const Json names = mesh["extras"].IsObject() ? mesh["extras"]["targetNames"] : Json();
  ReadSampler(document, sampler, 0, false);
  if (!document.status().ok()) return;
  Shapes shapes{static_cast<int>(samplers_.size()) - 1, {}};
  for (size_t k = 0; k < samplers_.back().width; ++k) {
    std::string name = names.IsObject() || k >= names.size() ? "" : names.At(k).Text();
    if (name.empty()) name = absl::StrCat("target_", k);
    // Eyelashes, teeth and brows have the same shapes as the face.
    const bool is_new = taken_shapes_.insert(name).second;
    shapes.places.push_back(is_new ? static_cast<int>(shapes_.size()) : -1);
    if (is_new) shapes_.push_back(std::move(name));
  }
  if (std::all_of(shapes.places.begin(), shapes.places.end(), [](int p) { return p < 0; })) {
    samplers_.pop_back();
    return;
  }
  weights_.push_back(std::move(shapes));
}

void GltfAnimation::ReadChannels(Document& document, const Json& animation) {
  const Json channels = animation["channels"], samplers = animation["samplers"];
  const Json nodes = document.root()["nodes"];
  absl::flat_hash_map<std::pair<int, int>, int> read;  // the sampler for each kind of target
  for (size_t i = 0; i < channels.size(); ++i) {
    const Json channel = channels.At(i);
    const int sampler = channel["sampler"].Index(samplers.size());
    if (sampler < 0) return channel.Wrong("has no sampler");
    const int node = channel["target"]["node"].Index(nodes.size());
    const std::string path = channel["target"]["path"].Text();
    if (node < 0) continue;  // KHR_animation_pointer, or a target that an extension adds
    const Json from = samplers.At(static_cast<size_t>(sampler));
    if (node == look_at_) {
      if (path != "rotation") continue;
      ReadSampler(document, from, 4, true);
      gaze_ = static_cast<int>(samplers_.size()) - 1;
    } else if (path == "weights") {
      if (!own_.empty() && !own_[static_cast<size_t>(node)]) continue;
      ReadWeights(document, nodes.At(static_cast<size_t>(node)), from);
    } else if (nodes_[static_cast<size_t>(node)].expression >= 0) {
      if (path == "translation") ReadExpression(document, node, from);
    } else {
      const int part = path == "translation" ? 0
                       : path == "rotation"  ? 1
                       : path == "scale"     ? 2
                                             : -1;
      if (part < 0) continue;
      const auto [known, is_new] = read.try_emplace({sampler, part == 1 ? 1 : 0}, -1);
      if (is_new) {
        ReadSampler(document, from, part == 1 ? 4 : 3, part == 1);
        known->second = static_cast<int>(samplers_.size()) - 1;
      }
      nodes_[static_cast<size_t>(node)].samplers[part] = known->second;
      nodes_[static_cast<size_t>(node)].moves = true;
    }
    if (!document.status().ok()) return;
  }
}

void GltfAnimation::AddEyes() {
  if (gaze_ < 0 || head_ < 0) return;
  // ARKit's eye shapes have the same gaze, separately for each eye.
  for (const Expression& expression : expressions_) {
    const bool moves = expression.id.arkit >= 0 && expression.sampler >= 0;
    if (moves && IsGazeShape(expression.id.arkit)) return;
  }
  // The gaze is in the axes of the model, even if the head's node is rotated at rest.
  Quat turn;
  for (int at = head_; at >= 0; at = tree_[static_cast<size_t>(at)].parent) {
    turn = skel::Mul(nodes_[static_cast<size_t>(at)].rotation, turn);
  }
  const auto upright = static_cast<int>(nodes_.size());
  tree_.emplace_back().parent = head_;
  nodes_.emplace_back().rotation = skel::Conjugate(turn);
  for (const auto& [name, x] : {std::pair{"leftEye", kEye.x}, std::pair{"rightEye", -kEye.x}}) {
    tree_.push_back({.name = name, .parent = upright, .skinned = true, .moved = true});
    Node& eye = nodes_.emplace_back();
    eye.translation = {x, kEye.y, kEye.z};
    eye.samplers[1] = gaze_;
    eye.moves = true;
  }
}

absl::Status GltfAnimation::ChooseJoints() {
  // The translation of such a node is the weight of an expression.
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].expression >= 0) tree_[i].moved = false;
  }
  absl::StatusOr<Joints> joints = FindJoints(tree_);
  if (!joints.ok()) return joints.status();
  order_ = std::move(joints->order);
  joint_nodes_ = std::move(joints->nodes);
  joints_ = std::move(joints->paths);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const skel::Rig>> GltfAnimation::Skeleton(Document& document) {
  GltfAnimation out;
  out.ReadNodes(document);
  if (document.status().ok()) out.ReadVrmAnimation(document);
  if (!document.status().ok()) return document.status();
  if (absl::Status s = out.ChooseJoints(); !s.ok()) return s;
  out.pose_.resize(out.joints_.size());
  return out.RestOfJoints();
}

std::shared_ptr<const skel::Rig> GltfAnimation::RestOfJoints() const {
  if (std::none_of(tree_.begin(), tree_.end(), [](const auto& n) { return n.skinned; })) {
    return nullptr;
  }
  GltfAnimation still = *this;
  for (Node& node : still.nodes_) std::fill(std::begin(node.samplers), std::end(node.samplers), -1);
  skel::RigParts parts;
  parts.joint_paths = joints_;
  for (const Place& place : still.PoseAt(0)) {
    parts.rest_translations.push_back(place.translation);
    parts.rest_rotations.push_back(place.rotation);
  }
  return skel::RestRig(std::move(parts));
}

absl::Status GltfAnimation::FindTimes() {
  const auto check = [](size_t times, size_t things, const char* what) {
    if (times * things <= asset::kMostTurns) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(times, " times of ", things, " ", what,
                                                     "; at most ", asset::kMostTurns,
                                                     " in all are read"));
  };
  for (const int i : order_) {
    for (const int sampler : nodes_[static_cast<size_t>(i)].samplers) {
      if (sampler < 0) continue;
      samplers_[static_cast<size_t>(sampler)].AddTimes(pose_times_);
      if (pose_times_.size() > asset::kMostTurns) Sort(pose_times_);
      if (absl::Status s = check(pose_times_.size(), 1, "times"); !s.ok()) return s;
    }
  }
  for (const Shapes& shapes : weights_) {
    samplers_[static_cast<size_t>(shapes.sampler)].AddTimes(weight_times_);
  }
  for (const Expression& expression : expressions_) {
    if (expression.sampler < 0) continue;
    samplers_[static_cast<size_t>(expression.sampler)].AddTimes(weight_times_);
    if (weight_times_.size() > asset::kMostTurns) Sort(weight_times_);
    if (absl::Status s = check(weight_times_.size(), 1, "times"); !s.ok()) return s;
  }
  Sort(pose_times_);
  Sort(weight_times_);
  if (absl::Status s = check(pose_times_.size(), joints_.size(), "joints"); !s.ok()) return s;
  // Includes the shapes that other meshes have too, because all are sampled.
  size_t shapes = expressions_.empty() ? 0 : shapes_.size() + expressions_.size();
  for (const Shapes& of : weights_) shapes += of.places.size();
  return check(weight_times_.size(), shapes, "shapes");
}

const std::vector<GltfAnimation::Place>& GltfAnimation::PoseAt(double time_s) {
  for (const int i : order_) {
    Node& node = nodes_[static_cast<size_t>(i)];
    float t[3] = {node.translation.x, node.translation.y, node.translation.z};
    float r[4] = {node.rotation.x, node.rotation.y, node.rotation.z, node.rotation.w};
    float s[3] = {node.scale.x, node.scale.y, node.scale.z};
    float* const parts[] = {t, r, s};
    for (size_t k = 0; k < 3; ++k) {
      if (node.samplers[k] >= 0)
        samplers_[static_cast<size_t>(node.samplers[k])].At(time_s, parts[k]);
    }
    const Quat rotation = skel::Normalized(Quat{r[3], r[0], r[1], r[2]});
    node.world = skel::FromTrs({t[0], t[1], t[2]}, rotation, {s[0], s[1], s[2]});
    node.turn = rotation;
    node.scaled = s[0] != 1 || s[1] != 1 || s[2] != 1;
    const int above_it = tree_[static_cast<size_t>(i)].parent;
    if (above_it >= 0) {
      const Node& parent = nodes_[static_cast<size_t>(above_it)];
      node.world = skel::Mul(node.world, parent.world);
      node.turn = skel::Mul(parent.turn, rotation);
      node.scaled = node.scaled || parent.scaled;
    }
    const int index = tree_[static_cast<size_t>(i)].joint;
    if (index < 0) continue;
    const int above = JointAbove(tree_, i);
    Place& place = pose_[static_cast<size_t>(index)];
    if (above < 0) {
      place = {node.world.row[3], node.turn};
      if (!own_.empty()) {
        place = {skel::TransformPoint(onto_, place.translation),
                 skel::Mul(onto_turn_, place.rotation)};
      }
      continue;
    }
    const Node& joint = nodes_[static_cast<size_t>(above)];
    if (above == above_it && !joint.scaled) {
      place = {{t[0], t[1], t[2]}, rotation};
      continue;
    }
    const Quat back = skel::Conjugate(joint.turn);
    place.translation = skel::Rotate(back, node.world.row[3] - joint.world.row[3]);
    place.rotation = above == above_it ? rotation : skel::Mul(back, node.turn);
  }
  return pose_;
}

const std::vector<float>& GltfAnimation::WeightsAt(double time_s) {
  shape_weights_.assign(shapes_.size(), 0);
  vmc::PresetWeights presets = {};
  vmc::ArkitWeights arkit = {};
  std::bitset<vmc::kArkitShapes> known;
  for (const Expression& expression : expressions_) {
    if (expression.id.arkit >= 0) known.set(static_cast<size_t>(expression.id.arkit));
    if (expression.sampler < 0) continue;
    float moved[3] = {};
    samplers_[static_cast<size_t>(expression.sampler)].At(time_s, moved);
    if (expression.id.preset >= 0) {
      presets[static_cast<size_t>(expression.id.preset)] = moved[0];
    } else if (expression.id.arkit >= 0) {
      arkit[static_cast<size_t>(expression.id.arkit)] = moved[0];
    } else if (expression.shape >= 0) {
      shape_weights_[static_cast<size_t>(expression.shape)] = moved[0];
    }
  }
  if (!arkit_shapes_.empty()) {
    // As in VMC, presets replace the ARKit shapes that the file lacks.
    const vmc::ArkitWeights like = vmc::ArkitFromPresets(presets);
    for (size_t i = 0; i < arkit.size(); ++i) {
      if (!known[i]) arkit[i] = like[i];
    }
    vmc::ToAceMouth(kJawOfMouthClose, arkit);
    for (size_t i = 0; i < arkit.size(); ++i) {
      shape_weights_[static_cast<size_t>(arkit_shapes_[i])] = arkit[i];
    }
  }
  for (const Shapes& shapes : weights_) {
    const Sampler& sampler = samplers_[static_cast<size_t>(shapes.sampler)];
    scratch_.resize(sampler.width);
    sampler.At(time_s, scratch_.data());
    for (size_t k = 0; k < shapes.places.size(); ++k) {
      if (shapes.places[k] >= 0) {
        shape_weights_[static_cast<size_t>(shapes.places[k])] = scratch_[k];
      }
    }
  }
  return shape_weights_;
}

}  // namespace posewire::gltf
