#include "libs/formats/gltf/joints.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/asset/motion.h"
#include "libs/skel/rig_limits.h"

namespace posewire::gltf {
namespace {

JointNode& NodeAt(std::vector<JointNode>& nodes, int index) {
  return nodes[static_cast<size_t>(index)];
}

// Returns which nodes are joints of a skin, or above one. In a file without skins, nodes that move
// count instead.
std::vector<bool> AboveJoints(const std::vector<JointNode>& nodes) {
  const bool skinned =
      std::any_of(nodes.begin(), nodes.end(), [](const JointNode& n) { return n.skinned; });
  std::vector<bool> out(nodes.size(), false);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].skinned && (skinned || !nodes[i].moved)) continue;
    for (int at = static_cast<int>(i); at >= 0 && !out[static_cast<size_t>(at)];
         at = nodes[static_cast<size_t>(at)].parent) {
      out[static_cast<size_t>(at)] = true;
    }
  }
  return out;
}

absl::Status NameJoints(const std::vector<JointNode>& nodes, Joints& out) {
  absl::flat_hash_set<std::string> taken;
  size_t bytes = 0;
  for (const int i : out.nodes) {
    const JointNode& node = nodes[static_cast<size_t>(i)];
    const int above = JointAbove(nodes, i);
    const std::string folder =
        above < 0 ? ""
                  : out.paths[static_cast<size_t>(nodes[static_cast<size_t>(above)].joint)] + "/";
    std::string path = folder + node.name;
    if (taken.contains(path)) absl::StrAppend(&path, "_", i);
    while (!taken.insert(path).second) path += '_';
    bytes += path.size();
    if (bytes > asset::kMostPathBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the paths of the joints have more than ", asset::kMostPathBytes, " bytes"));
    }
    out.paths.push_back(std::move(path));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<JointNode> ReadJointNodes(Document& document) {
  const Json nodes = document.root()["nodes"], skins = document.root()["skins"];
  const Json animations = document.root()["animations"];
  std::vector<JointNode> out(nodes.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const Json from = nodes.At(i);
    out[i].name = absl::StrReplaceAll(from["name"].Text(), {{"/", "_"}});
    if (out[i].name.empty()) out[i].name = absl::StrCat("node_", i);
    const Json children = from["children"];
    for (size_t k = 0; k < children.size(); ++k) {
      const int child = children.At(k).Index(out.size());
      if (child >= 0) NodeAt(out, child).parent = static_cast<int>(i);
    }
  }
  for (size_t i = 0; i < skins.size(); ++i) {
    const Json joints = skins.At(i)["joints"];
    for (size_t k = 0; k < joints.size(); ++k) {
      const int joint = joints.At(k).Index(out.size());
      if (joint >= 0) NodeAt(out, joint).skinned = true;
    }
  }
  for (size_t i = 0; i < animations.size(); ++i) {
    const Json channels = animations.At(i)["channels"];
    for (size_t k = 0; k < channels.size(); ++k) {
      const Json target = channels.At(k)["target"];
      const int node = target["node"].Index(out.size());
      const std::string path = node < 0 ? "" : target["path"].Text();
      if (path == "translation" || path == "rotation" || path == "scale") {
        NodeAt(out, node).moved = true;
      }
    }
  }
  return out;
}

absl::StatusOr<Joints> FindJoints(std::vector<JointNode>& nodes) {
  Joints out;
  const std::vector<bool> above = AboveJoints(nodes);
  std::vector<size_t> level(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!above[i]) continue;
    for (int at = nodes[i].parent; at >= 0; at = nodes[static_cast<size_t>(at)].parent) {
      if (++level[i] > kMostNodeLevels) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "nodes[", i, "] is more than ", kMostNodeLevels, " levels below its root"));
      }
    }
    out.order.push_back(static_cast<int>(i));
  }
  std::stable_sort(out.order.begin(), out.order.end(), [&](int a, int b) {
    return level[static_cast<size_t>(a)] < level[static_cast<size_t>(b)];
  });
  for (const int i : out.order) {
    JointNode& node = NodeAt(nodes, i);
    if (!node.skinned && !node.moved) continue;
    node.joint = static_cast<int>(out.nodes.size());
    out.nodes.push_back(i);
  }
  if (out.nodes.size() > skel::kMostJoints) {
    return absl::ResourceExhaustedError(absl::StrCat("the file has ", out.nodes.size(),
                                                     " joints, and at most ", skel::kMostJoints,
                                                     " are read"));
  }
  if (absl::Status s = NameJoints(nodes, out); !s.ok()) return s;
  return out;
}

int JointAbove(const std::vector<JointNode>& nodes, int node) {
  int at = nodes[static_cast<size_t>(node)].parent;
  while (at >= 0 && nodes[static_cast<size_t>(at)].joint < 0) {
    at = nodes[static_cast<size_t>(at)].parent;
  }
  return at;
}

}  // namespace posewire::gltf
