// Determines the joints of a glTF file, and their names in streams.
//
// Joints are the nodes of all skins, and animated nodes at or above them; without a skin, all
// animated nodes. The path of a joint has the names of the joints above it, without the nodes
// between. A node without a name is "node_3", by its index; a slash in a name is "_"; of joints
// with equal paths, later ones get their index appended: "wheel_2".
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_JOINTS_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_JOINTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/formats/gltf/document.h"

namespace posewire::gltf {

inline constexpr size_t kMostNodeLevels = 256;

struct JointNode {
  std::string name;
  int parent = -1;
  bool skinned = false;  // is a joint of a skin
  bool moved = false;    // by any animation
  int joint = -1;        // its index among the joints
};

struct Joints {
  std::vector<int> nodes;          // of each joint, parents first
  std::vector<std::string> paths;  // of each joint
  std::vector<int> order;          // the nodes at or above a joint, parents first
};

// Returns all nodes of the document, without joints yet. Faults are in document.status().
std::vector<JointNode> ReadJointNodes(Document& document);

// Selects and names the joints, and sets JointNode::joint. RESOURCE_EXHAUSTED, with the number, for
// over 1024 joints, 256 levels of nodes or 1 MiB of paths.
absl::StatusOr<Joints> FindJoints(std::vector<JointNode>& nodes);

// Returns the nearest joint above a node; -1 for none.
int JointAbove(const std::vector<JointNode>& nodes, int node);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_JOINTS_H_
