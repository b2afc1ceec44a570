#include "libs/formats/gltf/prop_reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/character/character.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/gltf/scene.h"
#include "libs/skel/affine.h"

namespace posewire::gltf {
namespace {

using character::PropModel;
using skel::Affine;
using skel::Vec3;

constexpr absl::string_view kGrip = "grip";
constexpr size_t kMostSiteNameBytes = 128;

std::vector<Affine> PlacesOf(const character::Character& scene) {
  std::vector<Affine> out(scene.nodes.size());
  for (const int i : scene.order) {
    const character::CharacterNode& node = scene.nodes[static_cast<size_t>(i)];
    Affine& place = out[static_cast<size_t>(i)];
    place = skel::FromTrs(node.translation, node.rotation, node.scale);
    if (node.parent >= 0) place = skel::Mul(place, out[static_cast<size_t>(node.parent)]);
  }
  return out;
}

// Moves a mesh into the prop's space, and removes what only a character needs.
void Place(const Affine& place, character::Mesh& mesh) {
  const Affine turned = skel::NormalTransform(place);
  for (Vec3& p : mesh.points) p = skel::TransformPoint(place, p);
  for (Vec3& n : mesh.normals) n = skel::Normalized(skel::TransformVector(turned, n));
  const bool mirrored = Dot(Cross(place.row[0], place.row[1]), place.row[2]) < 0;
  if (mirrored) {
    for (size_t t = 0; t + 2 < mesh.triangles.size(); t += 3) {
      std::swap(mesh.triangles[t + 1], mesh.triangles[t + 2]);
    }
  }
  // They are computed from the texture coordinates instead.
  mesh.tangents.clear();
}

void Plain(character::Mesh& mesh) {
  mesh.node = mesh.skin = -1;
  mesh.joints.clear();
  mesh.weights.clear();
  mesh.shapes.clear();
  mesh.shape_weights.clear();
  mesh.point_of.clear();
  mesh.file_points = 0;
}

void ReadSites(const character::Character& scene, const std::vector<Affine>& places,
               PropModel& out) {
  std::vector<bool> taken(scene.nodes.size(), false);
  for (const character::Mesh& mesh : scene.meshes) taken[static_cast<size_t>(mesh.node)] = true;
  for (const character::Skin& skin : scene.skins) {
    for (const int node : skin.nodes) taken[static_cast<size_t>(node)] = true;
  }
  for (const character::CharacterNode& node : scene.nodes) {
    if (node.parent >= 0) taken[static_cast<size_t>(node.parent)] = true;
  }
  size_t left_out = 0;
  for (size_t i = 0; i < scene.nodes.size(); ++i) {
    const std::string& name = scene.nodes[i].name;
    if (taken[i] || name.empty()) continue;
    const skel::Trs place = skel::Decompose(places[i]);
    const bool known = std::any_of(out.sites.begin(), out.sites.end(),
                                   [&](const auto& site) { return site.name == name; });
    const skel::Quat turn = skel::Normalized(place.rotation);
    const bool fits = character::AllFit({&place.translation, 1}) &&
                      std::abs(Dot(turn, turn) - 1) < 1e-2f && Length(place.translation) < 1e4f;
    if (known || !fits || name.size() > kMostSiteNameBytes || absl::StrContains(name, "/") ||
        out.sites.size() >= PropModel::kMostSites) {
      ++left_out;
      continue;
    }
    out.sites.push_back({name, place.translation, turn});
  }
  std::stable_partition(out.sites.begin(), out.sites.end(),
                        [](const auto& site) { return site.name == kGrip; });
  if (left_out > 0) {
    out.notes.push_back(absl::StrCat(left_out, " named nodes are no sites: at most ",
                                     PropModel::kMostSites, ", with different names of at most ",
                                     kMostSiteNameBytes, " bytes without a slash"));
  }
}

}  // namespace

absl::StatusOr<PropModel> ReadProp(absl::string_view bytes, const character::PropLimits& limits) {
  if (bytes.size() > limits.bytes) return character::OverLimit("bytes", limits.bytes);
  const character::Limits readers = limits.ForReaders();
  auto document =
      Document::Parse(bytes, readers, [](const std::string&) -> absl::StatusOr<std::string> {
        return absl::InvalidArgumentError("refers to another file; a prop must be one GLB");
      });
  if (!document.ok()) return document.status();
  character::Character scene;
  std::vector<character::MeshOrigin> origins;
  if (absl::Status s = ReadScene(**document, readers, {}, scene, origins); !s.ok()) return s;
  if (!(*document)->status().ok()) return (*document)->status();
  const std::vector<Affine> places = PlacesOf(scene);
  PropModel out;
  ReadSites(scene, places, out);
  for (character::Mesh& mesh : scene.meshes) {
    // A skinned mesh is at rest in the scene's space.
    if (mesh.skin < 0) Place(places[static_cast<size_t>(mesh.node)], mesh);
    Plain(mesh);
  }
  for (character::Material& material : scene.materials) {
    material.skin = material.eye = material.hair = material.mouth = false;
  }
  out.textures = std::move(scene.textures);
  out.materials = std::move(scene.materials);
  out.meshes = std::move(scene.meshes);
  out.notes.insert(out.notes.end(), scene.notes.begin(), scene.notes.end());
  if (absl::Status s = character::Finish(limits, out); !s.ok()) return s;
  return out;
}

}  // namespace posewire::gltf
