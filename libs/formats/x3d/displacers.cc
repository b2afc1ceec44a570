#include "libs/formats/x3d/displacers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/character/bone_names.h"
#include "libs/character/smooth_normals.h"
#include "libs/formats/x3d/humanoid.h"
#include "libs/mesh/blend_shapes.h"
#include "libs/skel/shape_names.h"

namespace posewire::x3d {
namespace {

using skel::Vec3;

// Makes a shape of the points that move, and of their neighbours, because their normals change.
void Gather(const character::Mesh& mesh, const std::vector<Vec3>& ways,
            const std::vector<uint32_t>& twins, mesh::BlendShapeParts& parts) {
  std::vector<Vec3> moved = mesh.points;
  std::vector<bool> moves(moved.size()), near(moved.size());
  for (size_t i = 0; i < moved.size(); ++i) {
    moved[i] = moved[i] + ways[i];
    if (skel::Dot(ways[i], ways[i]) > 0) moves[twins[i]] = true;
  }
  const std::vector<uint32_t>& t = mesh.triangles;
  const auto any = [&](const std::vector<bool>& of, size_t i) {
    return of[twins[t[i]]] || of[twins[t[i + 1]]] || of[twins[t[i + 2]]];
  };
  for (size_t i = 0; i + 3 <= t.size(); i += 3) {
    if (!any(moves, i)) continue;
    for (size_t k = 0; k < 3; ++k) near[twins[t[i + k]]] = true;
  }
  // A point's normal depends on all its triangles, so those of the neighbours count too.
  std::vector<uint32_t> touched;
  for (size_t i = 0; i + 3 <= t.size(); i += 3) {
    if (any(near, i)) touched.insert(touched.end(), t.data() + i, t.data() + i + 3);
  }
  const std::vector<Vec3> before = character::SmoothNormals(mesh.points, touched, twins);
  const std::vector<Vec3> after = character::SmoothNormals(moved, touched, twins);
  for (size_t i = 0; i < moved.size(); ++i) {
    if (!near[twins[i]] && skel::Dot(ways[i], ways[i]) == 0) continue;
    parts.indices.push_back(static_cast<int32_t>(i));
    parts.offsets.push_back(ways[i]);
    parts.normal_offsets.push_back(near[twins[i]] ? after[i] - before[i] : Vec3{});
  }
}

// Returns whether a displacement moves a point that is not this joint's alone.
bool MovesOthers(const character::Mesh& mesh, const std::vector<Vec3>& ways, int joint) {
  const auto per = static_cast<size_t>(mesh.per_point);
  for (size_t p = 0; p < ways.size(); ++p) {
    if (skel::Dot(ways[p], ways[p]) == 0) continue;
    for (size_t i = p * per; i < (p + 1) * per; ++i) {
      if (mesh.joints[i] != joint && std::fabs(mesh.weights[i]) > 1e-4f) return true;
    }
  }
  return false;
}

}  // namespace

std::string X3dShapeName(absl::string_view name, const skel::Rig& standard) {
  std::vector<std::string> keys;
  for (const std::string& shape : standard.shape_names()) keys.push_back(skel::ShapeKeyOf(shape));
  const absl::string_view bare = BareDisplacer(name);
  const bool known =
      !character::SourcesOf(name, keys).empty() || character::SourcesOf(bare, keys).empty();
  return std::string(known ? name : bare);
}

absl::Status AddX3dDisplacers(const Scene& scene, const X3dNode& owner, int joint,
                              const skel::Affine& place, const skel::Rig& standard,
                              const character::Limits& limits, X3dNumbers& numbers,
                              std::vector<std::string>& notes, character::Mesh& mesh) {
  std::vector<std::vector<uint32_t>> places;  // by point of the file: its points in the mesh
  std::vector<uint32_t> twins;
  for (const Child& child : owner.children) {
    const X3dNode& node = scene.nodes[static_cast<size_t>(child.node)];
    if (child.field != "displacers" || node.type != "HAnimDisplacer") continue;
    const absl::StatusOr<std::vector<int32_t>> index = numbers.ReadIndices(node, "coordIndex", 0);
    if (!index.ok()) return index.status();
    const absl::StatusOr<std::vector<Vec3>> ways = numbers.ReadPoints(node, "displacements");
    if (!ways.ok()) return ways.status();
    const absl::StatusOr<float> weight = X3dNumber(node, "weight", 0);
    if (!weight.ok()) return weight.status();
    // Displacers of level 1 only mark points.
    if (ways->empty()) continue;
    if (ways->size() != index->size()) {
      return X3dFault(node, "displacements",
                      absl::StrCat("has ", ways->size(), " vectors, and coordIndex has ",
                                   index->size(), " points"));
    }
    if (places.empty()) {
      if (absl::Status s = numbers.Take(mesh.points.size()); !s.ok()) return s;
      places.resize(mesh.file_points);
      for (size_t i = 0; i < mesh.point_of.size(); ++i) {
        places[mesh.point_of[i]].push_back(static_cast<uint32_t>(i));
      }
      twins = character::TwinsOf(mesh.points, mesh.normals);
    }
    std::vector<Vec3> offsets(mesh.points.size());
    mesh::BlendShapeParts parts;
    std::string name = String(node, "name");
    if (name.empty()) name = node.def;
    parts.name = X3dShapeName(name.substr(0, 128), standard);
    for (size_t i = 0; i < index->size(); ++i) {
      const auto point = static_cast<size_t>((*index)[i]);
      if (point >= places.size()) {
        return X3dFault(
            node, absl::StrCat("coordIndex[", i, "]"),
            absl::StrCat("is ", point, ", expected a point from 0 to ", places.size(), " - 1"));
      }
      for (const uint32_t at : places[point]) {
        offsets[at] = offsets[at] + skel::TransformVector(place, (*ways)[i]);
      }
    }
    const bool own = joint >= 0 && MovesOthers(mesh, offsets, joint);
    // Computing the normals visits the whole mesh.
    if (absl::Status s = numbers.Take(mesh.points.size()); !s.ok()) return s;
    Gather(mesh, offsets, twins, parts);
    if (parts.indices.empty()) continue;
    if (mesh.shapes.size() >= limits.targets) {
      return absl::ResourceExhaustedError(
          absl::StrCat("over ", limits.targets, " displacers of a shape"));
    }
    if (absl::Status s = numbers.Take(6 * parts.indices.size()); !s.ok()) return s;
    std::vector<std::string> warnings;
    absl::StatusOr<mesh::BlendShape> shape = mesh::BlendShape::Make(std::move(parts), &warnings);
    notes.insert(notes.end(), warnings.begin(), warnings.end());
    if (!shape.ok()) return X3dFault(node, "displacements", shape.status().message());
    mesh.shapes.push_back(*std::move(shape));
    mesh.shape_weights.push_back(*weight);
    if (own) mesh.shape_joints.resize(mesh.shapes.size(), -1), mesh.shape_joints.back() = joint;
  }
  return absl::OkStatus();
}

}  // namespace posewire::x3d
