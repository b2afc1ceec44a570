#include "libs/character/point_skin.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/character/deformer.h"
#include "libs/mesh/offsets.h"

namespace posewire::character {

using skel::Affine;
using skel::Vec3;

PointSkin::PointSkin(const Deformer& deformer, mesh::SkinningMethod method) : method_(method) {
  const Character& c = deformer.character();
  for (size_t m = 0; m < c.meshes.size(); ++m) {
    if (!deformer.shown(m)) continue;
    const Mesh& mesh = c.meshes[m];
    meshes_.push_back(m);
    first_.push_back(rest_.size());
    for (const uint32_t corner : mesh.triangles) {
      triangles_.push_back(static_cast<uint32_t>(rest_.size()) + corner);
    }
    rest_.insert(rest_.end(), mesh.points.begin(), mesh.points.end());
    const auto n = static_cast<size_t>(mesh.per_point);
    for (size_t i = 0; i < mesh.points.size(); ++i) {
      const auto from = mesh.weights.begin() + static_cast<std::ptrdiff_t>(i * n);
      const auto most = std::max_element(from, from + static_cast<std::ptrdiff_t>(n));
      const auto joint = static_cast<size_t>(
          mesh.joints[static_cast<size_t>(std::distance(mesh.weights.begin(), most))]);
      heaviest_.push_back(*most);
      heaviest_nodes_.push_back(
          mesh.skin < 0 ? mesh.node : c.skins[static_cast<size_t>(mesh.skin)].nodes[joint]);
    }
  }
}

absl::Status PointSkin::Transforms(const Deformer& deformer, absl::Span<Affine> out,
                                   size_t* singular) {
  if (out.size() != points()) {
    return absl::InvalidArgumentError(
        absl::StrCat("out has ", out.size(), " entries, expected ", points()));
  }
  const Character& c = deformer.character();
  size_t lost = 0;
  for (size_t k = 0; k < meshes_.size(); ++k) {
    const Mesh& mesh = c.meshes[meshes_[k]];
    joints_.clear();
    if (mesh.skin < 0) {
      joints_.push_back(deformer.nodes()[static_cast<size_t>(mesh.node)]);
    } else {
      const Skin& skin = c.skins[static_cast<size_t>(mesh.skin)];
      for (size_t j = 0; j < skin.nodes.size(); ++j) {
        joints_.push_back(
            skel::Mul(skin.inverse_bind[j], deformer.nodes()[static_cast<size_t>(skin.nodes[j])]));
      }
    }
    mesh::PointTransformsJob job;
    job.method = method_;
    job.transforms = joints_;
    job.indices = mesh.joints;
    job.weights = mesh.weights;
    job.per_point = mesh.per_point;
    job.out = out.subspan(first_[k], mesh.points.size());
    job.singular = &singular_;
    if (absl::Status s = job.Run(); !s.ok()) return s;
    lost += singular_.size();
  }
  if (singular != nullptr) *singular = lost;
  return absl::OkStatus();
}

absl::Status PointSkin::Shares(const Character& c, absl::Span<const float> of_joints,
                               absl::Span<float> out) const {
  if (out.size() != points() || of_joints.size() != static_cast<size_t>(c.rig->joints())) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", of_joints.size(), " joints and ",
                                                   out.size(), " points, expected ",
                                                   c.rig->joints(), " and ", points()));
  }
  std::vector<float> of_node(c.nodes.size(), 1);
  std::vector<bool> known(c.nodes.size(), false);
  for (const Link& link : c.links) {
    const auto node = static_cast<size_t>(link.node);
    of_node[node] = of_joints[static_cast<size_t>(link.joint)];
    known[node] = true;
  }
  for (const int n : c.order) {
    const auto node = static_cast<size_t>(n);
    const int parent = c.nodes[node].parent;
    if (!known[node] && parent >= 0) of_node[node] = of_node[static_cast<size_t>(parent)];
  }
  for (size_t k = 0; k < meshes_.size(); ++k) {
    const Mesh& mesh = c.meshes[meshes_[k]];
    const auto n = static_cast<size_t>(mesh.per_point);
    for (size_t i = 0; i < mesh.points.size(); ++i) {
      float& share = out[first_[k] + i];
      if (mesh.skin < 0) {
        share = of_node[static_cast<size_t>(mesh.node)];
        continue;
      }
      const Skin& skin = c.skins[static_cast<size_t>(mesh.skin)];
      share = 0;
      for (size_t j = i * n; j < (i + 1) * n; ++j) {
        const auto joint = static_cast<size_t>(mesh.joints[j]);
        share += mesh.weights[j] * of_node[static_cast<size_t>(skin.nodes[joint])];
      }
    }
  }
  return absl::OkStatus();
}

void PointSkin::Gather(const Deformer& deformer, absl::Span<Vec3> points,
                       absl::Span<Vec3> normals) const {
  for (size_t k = 0; k < meshes_.size(); ++k) {
    const auto from = deformer.points(meshes_[k]), facing = deformer.normals(meshes_[k]);
    std::copy(from.begin(), from.end(), points.begin() + static_cast<std::ptrdiff_t>(first_[k]));
    if (normals.empty()) continue;
    std::copy(facing.begin(), facing.end(),
              normals.begin() + static_cast<std::ptrdiff_t>(first_[k]));
  }
}

}  // namespace posewire::character
