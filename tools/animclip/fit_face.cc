// Blend shapes of fitted characters: from the clip's weights, or from a jaw joint.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/character/bind.h"
#include "libs/character/bone_names.h"
#include "libs/mesh/blend_shapes.h"
#include "libs/mesh/fit_shapes.h"
#include "libs/mesh/offsets.h"
#include "tools/animclip/fit_scene.h"

namespace posewire::animclip {
namespace {

using character::Character;
using skel::Affine;
using skel::HumanBone;
using skel::Vec3;

// A shape whose weight never gets here cannot be learned.
constexpr float kLeastWeight = 0.15f;
// Smaller offsets of a shape are noise of the skin.
constexpr float kLeastOffset_m = 2e-4f;
// A point belongs to the head if these joints have at least this much of it.
constexpr float kHeadShare = 0.5f;
// Points this near to the middle belong to the shapes of both sides.
constexpr float kMiddle_m = 0.004f;
constexpr float kJawOpens_rad = 0.3f;
constexpr float kJawTurns_rad = 0.03f;

// Returns the nodes below one, with it.
std::vector<bool> NodesBelow(const Character& c, int top) {
  std::vector<bool> out(c.nodes.size(), false);
  for (const int n : c.order) {
    const int parent = c.nodes[static_cast<size_t>(n)].parent;
    out[static_cast<size_t>(n)] = n == top || (parent >= 0 && out[static_cast<size_t>(parent)]);
  }
  return out;
}

// Returns how much of each point of a mesh the nodes move.
std::vector<float> ShareOf(const Character& c, const character::Mesh& mesh,
                           const std::vector<bool>& nodes) {
  std::vector<float> out(mesh.points.size(), 0);
  if (mesh.skin < 0) return out;
  const character::Skin& skin = c.skins[static_cast<size_t>(mesh.skin)];
  const auto per = static_cast<size_t>(mesh.per_point);
  for (size_t k = 0; k < mesh.weights.size(); ++k) {
    const int node = skin.nodes[static_cast<size_t>(mesh.joints[k])];
    if (nodes[static_cast<size_t>(node)]) out[k / per] += mesh.weights[k];
  }
  return out;
}

character::BoneNodes BonesOf(const Character& c) {
  std::vector<std::string> names;
  for (const character::CharacterNode& node : c.nodes) names.push_back(node.name);
  return character::FindBones(names);
}

// Learns shapes of one mesh. Points are learned in three groups: shapes of one side ("...Left") do
// not move points of the other, which a clip that always uses both could not tell.
class ShapeLearner {
 public:
  ShapeLearner(FitScene& scene, size_t mesh, const std::vector<float>& share)
      : scene_(scene), mesh_(scene.person.meshes[mesh]), first_(scene.first[mesh]), share_(share) {}

  // `shapes`: indices into the clip's.
  absl::Status Learn(const std::vector<size_t>& shapes) {
    if (absl::Status s = FindOffsets(); !s.ok()) return s;
    learned_.assign(shapes.size(), std::vector<Vec3>(mesh_.points.size()));
    for (const int side : {-1, 0, 1}) {
      if (absl::Status s = LearnSide(shapes, side); !s.ok()) return s;
    }
    for (size_t k = 0; k < shapes.size(); ++k) {
      mesh::BlendShapeParts parts;
      parts.name = scene_.shape_names[shapes[k]];
      for (size_t i = 0; i < learned_[k].size(); ++i) {
        if (skel::Length(learned_[k][i]) < kLeastOffset_m) continue;
        parts.indices.push_back(static_cast<int32_t>(i));
        parts.offsets.push_back(learned_[k][i]);
      }
      if (parts.indices.empty()) continue;
      // The mesh was bound in a frame that may have had a face.
      const float at_rest = Weight(static_cast<size_t>(scene_.rest_frame), shapes[k]);
      for (size_t n = 0; n < parts.indices.size() && at_rest != 0; ++n) {
        Vec3& p = mesh_.points[static_cast<size_t>(parts.indices[n])];
        p = p - parts.offsets[n] * at_rest;
      }
      auto made = mesh::BlendShape::Make(std::move(parts));
      if (!made.ok()) return made.status();
      mesh_.shapes.push_back(*std::move(made));
      mesh_.shape_weights.push_back(0);
    }
    return absl::OkStatus();
  }

 private:
  float Weight(size_t frame, size_t shape) const {
    return scene_.shapes[frame * scene_.shape_names.size() + shape];
  }

  // What the skin leaves, before skinning.
  absl::Status FindOffsets() {
    const size_t points = mesh_.points.size();
    const character::Skin& skin = scene_.person.skins[static_cast<size_t>(mesh_.skin)];
    offsets_.resize(points * scene_.frames());
    std::vector<Affine> joints(skin.nodes.size()), s(points);
    std::vector<Vec3> simple(points);
    for (size_t f = 0; f < scene_.frames(); ++f) {
      for (size_t j = 0; j < joints.size(); ++j) {
        joints[j] =
            skel::Mul(skin.inverse_bind[j], scene_.nodes[f][static_cast<size_t>(skin.nodes[j])]);
      }
      mesh::PointTransformsJob blend;
      blend.transforms = joints;
      blend.indices = mesh_.joints;
      blend.weights = mesh_.weights;
      blend.per_point = mesh_.per_point;
      blend.out = absl::MakeSpan(s);
      if (absl::Status status = blend.Run(); !status.ok()) return status;
      for (size_t i = 0; i < points; ++i) simple[i] = skel::TransformPoint(s[i], mesh_.points[i]);
      if (absl::Status status =
              mesh::OffsetsJob{s, simple, scene_.Complex(f).subspan(first_, points),
                               absl::MakeSpan(offsets_).subspan(f * points, points)}
                  .Run();
          !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status LearnSide(const std::vector<size_t>& shapes, int side) {
    const float middle = kMiddle_m / scene_.unit_m();
    std::vector<size_t> points, places;
    for (size_t i = 0; i < mesh_.points.size(); ++i) {
      const float x = mesh_.points[i].x;
      if (share_[i] >= kHeadShare && (x > middle ? 1 : x < -middle ? -1 : 0) == side) {
        points.push_back(i);
      }
    }
    for (size_t k = 0; k < shapes.size(); ++k) {
      const std::string& name = scene_.shape_names[shapes[k]];
      const bool left = absl::EndsWith(name, "Left"), right = absl::EndsWith(name, "Right");
      if ((side < 0 && left) || (side > 0 && right)) continue;
      places.push_back(k);
    }
    if (points.empty() || places.empty()) return absl::OkStatus();
    std::vector<Vec3> offsets;
    std::vector<float> weights;
    const auto rest = static_cast<size_t>(scene_.rest_frame);
    for (size_t f = 0; f < scene_.frames(); ++f) {
      for (const size_t i : points) offsets.push_back(offsets_[f * mesh_.points.size() + i]);
      for (const size_t k : places)
        weights.push_back(Weight(f, shapes[k]) - Weight(rest, shapes[k]));
    }
    const auto found = mesh::FitShapes({offsets, weights, points.size(), places.size()});
    if (!found.ok()) return found.status();
    for (size_t k = 0; k < places.size(); ++k) {
      for (size_t n = 0; n < points.size(); ++n) {
        learned_[places[k]][points[n]] = (*found)[k * points.size() + n];
      }
    }
    return absl::OkStatus();
  }

  FitScene& scene_;
  character::Mesh& mesh_;
  const size_t first_;
  const std::vector<float>& share_;
  std::vector<Vec3> offsets_;               // frame after frame
  std::vector<std::vector<Vec3>> learned_;  // by shape
};

// Adds jawOpen: how a mesh moves if the jaw turns about the axis through both ears.
absl::Status AddJaw(const Character& c, int jaw, Vec3 axis, const std::vector<float>& share,
                    character::Mesh& mesh) {
  const character::Skin& skin = c.skins[static_cast<size_t>(mesh.skin)];
  const auto at = std::find(skin.nodes.begin(), skin.nodes.end(), jaw);
  if (at == skin.nodes.end()) return absl::OkStatus();
  const auto bind = skel::Inverse(skin.inverse_bind[static_cast<size_t>(at - skin.nodes.begin())]);
  if (!bind) return absl::OkStatus();
  const skel::Quat opens = skel::FromAxisAngle(axis, kJawOpens_rad);
  mesh::BlendShapeParts parts;
  parts.name = "jawOpen";
  for (size_t i = 0; i < mesh.points.size(); ++i) {
    if (share[i] < 0.01f) continue;
    const Vec3 arm = mesh.points[i] - bind->row[3];
    parts.indices.push_back(static_cast<int32_t>(i));
    parts.offsets.push_back((skel::Rotate(opens, arm) - arm) * share[i]);
  }
  if (parts.indices.empty()) return absl::OkStatus();
  auto made = mesh::BlendShape::Make(std::move(parts));
  if (!made.ok()) return made.status();
  mesh.shapes.push_back(*std::move(made));
  mesh.shape_weights.push_back(0);
  return absl::OkStatus();
}

// Returns true if a node turns on its parent: only then are its weights known.
bool Turns(const FitScene& scene, int node) {
  const int parent = scene.person.nodes[static_cast<size_t>(node)].parent;
  if (parent < 0) return false;
  skel::Quat first;
  for (size_t f = 0; f < scene.frames(); ++f) {
    const std::vector<Affine>& now = scene.nodes[f];
    const skel::Quat turn =
        skel::Mul(skel::Conjugate(skel::Decompose(now[static_cast<size_t>(parent)]).rotation),
                  skel::Decompose(now[static_cast<size_t>(node)]).rotation);
    if (f == 0) first = turn;
    if (skel::AngleBetween(first, turn) > kJawTurns_rad) return true;
  }
  return false;
}

std::vector<std::string> NamesOfShapes(const Character& c) {
  std::vector<std::string> out = character::ShapesOf(c);
  if (c.rig == nullptr) return out;
  for (const character::Drive& drive : c.drives) {
    for (const int shape : drive.sources) {
      if (shape >= 0 && shape < c.rig->shapes()) {
        out.push_back(c.rig->shape_names()[static_cast<size_t>(shape)]);
      }
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<FitFace> AddFace(FitScene& scene) {
  Character& c = scene.person;
  FitFace out;
  out.own = static_cast<int>(character::ShapesOf(c).size());
  const character::BoneNodes bones = BonesOf(c);
  const int head = bones[static_cast<size_t>(HumanBone::kHead)],
            jaw = bones[static_cast<size_t>(HumanBone::kJaw)];
  out.head = head >= 0;
  std::vector<size_t> shapes;
  for (size_t s = 0; out.own == 0 && s < scene.shape_names.size(); ++s) {
    float most = 0;
    const auto rest = static_cast<size_t>(std::max(scene.rest_frame, 0));
    const size_t width = scene.shape_names.size();
    for (size_t f = 0; f < scene.frames(); ++f) {
      most =
          std::max(most, std::fabs(scene.shapes[f * width + s] - scene.shapes[rest * width + s]));
    }
    if (most >= kLeastWeight) shapes.push_back(s);
  }
  if (!shapes.empty() && scene.rest_frame >= 0) {
    const std::vector<bool> below =
        head >= 0 ? NodesBelow(c, head) : std::vector<bool>(c.nodes.size(), true);
    for (size_t m = 0; m < c.meshes.size(); ++m) {
      if (c.meshes[m].skin < 0) continue;
      const std::vector<float> share = ShareOf(c, c.meshes[m], below);
      if (absl::Status s = ShapeLearner(scene, m, share).Learn(shapes); !s.ok()) return s;
    }
    out.learned = static_cast<int>(character::ShapesOf(c).size());
  }
  const std::vector<std::string> names = NamesOfShapes(c);
  if (jaw < 0 || scene.rest_frame < 0 ||
      std::find(names.begin(), names.end(), "jawOpen") != names.end()) {
    return out;
  }
  if (!Turns(scene, jaw)) {
    out.stiff_jaw = true;
    return out;
  }
  // The head may be turned where the mesh is bound.
  const auto turn_of = [](const Affine& m) { return skel::Decompose(m).rotation; };
  Affine at_rest;
  for (int n = jaw; n >= 0; n = c.nodes[static_cast<size_t>(n)].parent) {
    const character::CharacterNode& node = c.nodes[static_cast<size_t>(n)];
    at_rest = skel::Mul(at_rest, skel::FromTrs(node.translation, node.rotation, node.scale));
  }
  const Affine& bound =
      scene.nodes[static_cast<size_t>(scene.rest_frame)][static_cast<size_t>(jaw)];
  const Vec3 axis =
      skel::Rotate(skel::Mul(turn_of(bound), skel::Conjugate(turn_of(at_rest))), {1, 0, 0});
  const std::vector<bool> below = NodesBelow(c, jaw);
  for (character::Mesh& mesh : c.meshes) {
    if (mesh.skin < 0) continue;
    const size_t before = mesh.shapes.size();
    if (absl::Status s = AddJaw(c, jaw, axis, ShareOf(c, mesh, below), mesh); !s.ok()) return s;
    out.jaw = out.jaw || mesh.shapes.size() > before;
  }
  return out;
}

std::string DescribeFace(const FitFace& face) {
  std::string out;
  if (face.own > 0) {
    out = absl::StrCat(face.own, " shapes of the file");
  } else if (face.learned > 0) {
    out = absl::StrCat(face.learned, " shapes learned by the clip's weights");
  }
  if (face.jaw) absl::StrAppend(&out, out.empty() ? "" : " and ", "jawOpen, made of the jaw joint");
  if (!out.empty()) return absl::StrCat("speech moves its face by ", out);
  if (!face.head) return "speech moves nothing of it: it has neither shapes nor a head";
  return absl::StrCat("speech moves its head, but not its face: it has no shapes, and ",
                      face.stiff_jaw ? "its jaw joint does not turn in the clip" : "no jaw joint");
}

}  // namespace posewire::animclip
