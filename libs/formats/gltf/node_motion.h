// Where single nodes of a document are over time.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_NODE_MOTION_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_NODE_MOTION_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libs/asset/scene.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/gltf/joints.h"
#include "libs/formats/gltf/node_scene.h"
#include "libs/formats/gltf/sampler.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::gltf {

// Evaluates single nodes; reads their samplers when they are needed. Each node moves as in the
// animation that is asked for, or else in the first that moves it.
class NodeMotion {
 public:
  NodeMotion(Document& document, const std::vector<JointNode>& tree, std::optional<size_t> asked)
      : document_(document), tree_(tree), nodes_(tree.size()) {
    const Json animations = document.root()["animations"];
    std::vector<size_t> order;
    if (asked) order.push_back(*asked);
    for (size_t a = 0; a < animations.size(); ++a) {
      if (!asked || a != *asked) order.push_back(a);
    }
    for (const size_t a : order) {
      const Json animation = animations.At(a), samplers = animation["samplers"];
      const Json channels = animation["channels"];
      for (size_t c = 0; c < channels.size(); ++c) {
        const Json target = channels.At(c)["target"];
        const int node = target["node"].Index(tree.size());
        const int sampler = channels.At(c)["sampler"].Index(samplers.size());
        const std::string path = node < 0 ? "" : target["path"].Text();
        const int part = path == "translation" ? 0
                         : path == "rotation"  ? 1
                         : path == "scale"     ? 2
                         : path == "weights"   ? kWeights
                                               : -1;
        if (part < 0 || sampler < 0) continue;
        Node& of = nodes_[static_cast<size_t>(node)];
        int& animation = part == kWeights ? of.animation_of_weights : of.animation;
        if (animation < 0) animation = static_cast<int>(a);
        if (animation != static_cast<int>(a)) continue;
        of.channels[part] = samplers.At(static_cast<size_t>(sampler));
      }
    }
  }

  skel::Affine WorldAt(int node, double time_s) { return Above(node, -1, time_s); }

  // Returns the transform to the space of a node above; -1: the world.
  skel::Affine Above(int node, int above, double time_s) {
    skel::Affine out;
    for (int at = node; at != above && at >= 0; at = tree_[static_cast<size_t>(at)].parent) {
      const skel::Trs local = LocalAt(at, time_s);
      out = skel::Mul(out, skel::FromTrs(local.translation, local.rotation, local.scale));
    }
    return out;
  }

  asset::RigidPlace PlaceAt(int node, double time_s) {
    const skel::Trs parts = skel::Decompose(WorldAt(node, time_s));
    return {parts.translation, skel::Normalized(parts.rotation)};
  }

  // Ascending; empty if it never moves.
  std::vector<double> Times(int node) {
    std::vector<double> out;
    for (int at = node; at >= 0; at = tree_[static_cast<size_t>(at)].parent) {
      const Node& of = Load(at);
      for (int k = 0; k < kWeights; ++k) {
        if (of.samplers[k]) of.samplers[k]->AddTimes(out);
      }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  // On its parent. Rotations are of unit length.
  skel::Trs LocalAt(int index, double time_s) {
    const Node& node = Load(index);
    float t[3] = {node.rest.translation.x, node.rest.translation.y, node.rest.translation.z};
    float r[4] = {node.rest.rotation.x, node.rest.rotation.y, node.rest.rotation.z,
                  node.rest.rotation.w};
    float s[3] = {node.rest.scale.x, node.rest.scale.y, node.rest.scale.z};
    float* const parts[] = {t, r, s};
    for (int k = 0; k < kWeights; ++k) {
      if (node.samplers[k]) node.samplers[k]->At(time_s, parts[k]);
    }
    return {{t[0], t[1], t[2]},
            skel::Normalized(skel::Quat{r[3], r[0], r[1], r[2]}),
            {s[0], s[1], s[2]}};
  }

  // Of the node's mesh; null: they rest.
  const Sampler* Weights(int node) {
    Node& of = nodes_[static_cast<size_t>(node)];
    const Json channel = std::exchange(of.channels[kWeights], Json());
    if (channel.exists()) of.samplers[kWeights] = Sampler::Read(document_, channel, 0, false);
    return of.samplers[kWeights] ? &*of.samplers[kWeights] : nullptr;
  }

 private:
  static constexpr int kWeights = 3;  // the last of the channels
  struct Node {
    int animation = -1, animation_of_weights = -1;
    Json channels[kWeights + 1];
    bool loaded = false;
    skel::Trs rest;
    std::optional<Sampler> samplers[kWeights + 1];
  };

  Node& Load(int index) {
    Node& node = nodes_[static_cast<size_t>(index)];
    if (std::exchange(node.loaded, true)) return node;
    node.rest = TransformOf(document_.root()["nodes"].At(static_cast<size_t>(index)));
    for (int k = 0; k < kWeights; ++k) {
      if (!node.channels[k].exists()) continue;
      node.samplers[k] = Sampler::Read(document_, node.channels[k], k == 1 ? 4 : 3, k == 1);
    }
    return node;
  }

  Document& document_;
  const std::vector<JointNode>& tree_;
  std::vector<Node> nodes_;
};

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_NODE_MOTION_H_
