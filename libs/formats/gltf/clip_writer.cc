#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "libs/asset/motion_skeleton.h"
#include "libs/asset/spike.h"
#include "libs/formats/gltf/document_writer.h"
#include "libs/formats/gltf/gltf.h"
#include "libs/formats/gltf/scene_nodes.h"
#include "libs/skel/affine.h"
#include "libs/skel/path_index.h"

namespace posewire::gltf {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

class ClipBuilder {
 public:
  // `above`: the node that the skeleton is below; -1: none.
  ClipBuilder(const asset::Motion& motion, DocumentWriter& out, int above = -1)
      : motion_(motion), out_(out), above_(above), base_(static_cast<int>(out.nodes.size())) {}

  absl::Status Build() {
    if (!motion_.header) return absl::InvalidArgumentError("the clip has no header");
    const bool joints = !track(wire::kTranslations).empty() || !track(wire::kRotations).empty() ||
                        !track(wire::kScales).empty();
    if (joints) {
      absl::StatusOr<asset::MotionSkeleton> skeleton = asset::MotionSkeleton::Of(motion_);
      if (!skeleton.ok()) return skeleton.status();
      skeleton_ = *std::move(skeleton);
    } else if (track(wire::kWeights).empty()) {
      return absl::InvalidArgumentError("the clip has neither poses nor weights");
    }
    AddJoints();
    AddMesh();
    if (joints) AddPoses();
    if (!track(wire::kWeights).empty()) AddWeights();
    if (!motion_.header->ids.request_id.empty()) out_.animation = motion_.header->ids.request_id;
    return out_.CheckSize();
  }

 private:
  const skel::KeyTrack& track(wire::PoseTrack t) const { return motion_.tracks[t]; }

  // Adds the joints' nodes at rest, and computes their transforms in the model.
  void AddJoints() {
    out_.roots.push_back(base_ + static_cast<int>(skeleton_.joints.size()));  // the mesh
    for (const asset::MotionSkeleton::Joint& joint : skeleton_.joints) {
      out_.AddNode({.name = std::string(skel::LastPathElement(joint.path)),
                    .translation = joint.translation,
                    .rotation = joint.rotation},
                   joint.parent < 0 ? above_ : base_ + joint.parent);
      const Affine local = skel::FromTrs(joint.translation, joint.rotation, {1, 1, 1});
      model_.push_back(
          joint.parent < 0 ? local : skel::Mul(local, model_[static_cast<size_t>(joint.parent)]));
    }
  }

  void AddSpike(Vec3 from, Vec3 to, int joint) {
    const auto first = static_cast<uint32_t>(points_.size() / 3);
    for (const Vec3 p : asset::SpikePoints(from, to)) {
      points_.insert(points_.end(), {p.x, p.y, p.z});
      owners_.insert(owners_.end(), {static_cast<uint16_t>(joint), 0, 0, 0});
    }
    for (const auto& triangle : asset::kSpikeTriangles) {
      for (const int corner : triangle) triangles_.push_back(first + static_cast<uint32_t>(corner));
    }
  }

  void AddMesh() {
    for (size_t j = 0; j < skeleton_.joints.size(); ++j) {
      const int parent = skeleton_.joints[j].parent;
      if (parent < 0) continue;
      const Vec3 from = model_[static_cast<size_t>(parent)].row[3], to = model_[j].row[3];
      if (skel::Length(to - from) > 1e-4f) AddSpike(from, to, parent);
    }
    if (points_.empty()) AddSpike({0, 0, 0}, {0, 0.1f, 0}, 0);
    DocumentWriter::Mesh mesh = {.name = asset::kBonesName};
    mesh.attributes = {{"POSITION", out_.AddBounded(points_, 3, kVertices)}};
    mesh.indices = out_.Add(triangles_, 1, kTriangles);
    const int joints = static_cast<int>(skeleton_.joints.size());
    if (joints > 0) {
      mesh.attributes.emplace_back("JOINTS_0", out_.Add(owners_, 4, kVertices));
      std::vector<float> weights(owners_.size(), 0);
      for (size_t i = 0; i < weights.size(); i += 4) weights[i] = 1;
      mesh.attributes.emplace_back("WEIGHTS_0", out_.Add(weights, 4, kVertices));
      std::vector<Affine> inverse;
      for (const Affine& m : model_) inverse.push_back(skel::Inverse(m).value_or(Affine{}));
      std::vector<int> all(static_cast<size_t>(joints));
      std::iota(all.begin(), all.end(), base_);
      out_.skins.push_back({std::move(all), out_.AddMatrices(inverse)});
    }
    out_.nodes.push_back({.name = asset::kBonesName,
                          .mesh = static_cast<int>(out_.meshes.size()),
                          .skin = joints > 0 ? static_cast<int>(out_.skins.size()) - 1 : -1});
    out_.meshes.push_back(std::move(mesh));
  }

  // Adds a channel for each joint that moves. The nodes of the others have their values.
  template <typename ValueOf, typename Keep>
  void AddTrack(wire::PoseTrack t, const char* path, size_t width, ValueOf value_of, Keep keep) {
    if (track(t).empty()) return;
    const std::vector<double> time_codes_s = DocumentWriter::DistinctTimes(motion_.time_codes_s[t]);
    int input = -1;
    const size_t joints = skeleton_.joints.size();
    std::vector<std::vector<float>> values(joints);
    asset::MotionPose pose(motion_, skeleton_);
    for (const double time_code_s : time_codes_s) {
      pose.Sample(time_code_s);
      for (size_t j = 0; j < joints; ++j) value_of(pose, time_code_s, j, values[j]);
    }
    for (size_t j = 0; j < joints; ++j) {
      const std::vector<float>& v = values[j];
      bool moves = false;
      for (size_t i = width; i < v.size(); ++i) {
        moves = moves || std::fabs(v[i] - v[i % width]) > kLeastMove;
      }
      // The first joint's rotations keep the skeleton in the clip even if no joint moves.
      const bool first = j == 0 && !moves_;
      if (!moves) keep(out_.nodes[static_cast<size_t>(base_) + j], v);
      if (!moves && !first) continue;
      if (input < 0) input = out_.AddTimes(time_codes_s);
      const int output = out_.Add(v, width);
      out_.channels.push_back({base_ + static_cast<int>(j), input, output, path});
      moves_ = true;
    }
  }

  void AddPoses() {
    AddTrack(
        wire::kRotations, "rotation", 4,
        [](const asset::MotionPose& pose, double, size_t j, std::vector<float>& out) {
          const Quat q = skel::Normalized(pose.rotations()[j]);
          out.insert(out.end(), {q.x, q.y, q.z, q.w});
        },
        [](DocumentWriter::Node& node, const std::vector<float>& v) {
          node.rotation = Quat{v[3], v[0], v[1], v[2]};
        });
    AddTrack(
        wire::kTranslations, "translation", 3,
        [](const asset::MotionPose& pose, double, size_t j, std::vector<float>& out) {
          const Vec3 t = pose.translations()[j];
          out.insert(out.end(), {t.x, t.y, t.z});
        },
        [](DocumentWriter::Node& node, const std::vector<float>& v) {
          node.translation = Vec3{v[0], v[1], v[2]};
        });
    std::vector<float> between(static_cast<size_t>(track(wire::kScales).width()));
    AddTrack(
        wire::kScales, "scale", 3,
        [&](const asset::MotionPose&, double time_code_s, size_t j, std::vector<float>& out) {
          const absl::Span<const float> all =
              track(wire::kScales).Sample(time_code_s, absl::MakeSpan(between));
          const int source = skeleton_.joints[j].source;
          const auto at = 3 * static_cast<size_t>(std::max(source, 0));
          if (source < 0) return (void)out.insert(out.end(), {1, 1, 1});
          out.insert(out.end(), {all[at], all[at + 1], all[at + 2]});
        },
        [](DocumentWriter::Node& node, const std::vector<float>& v) {
          node.scale = {v[0], v[1], v[2]};
        });
  }

  void AddWeights() {
    // The morph targets move no point: a clip only needs their names.
    DocumentWriter::Mesh& mesh = out_.meshes.back();
    mesh.target_names = motion_.header->shapes;
    mesh.targets.assign(mesh.target_names.size(), out_.AddZeros(points_.size() / 3));
    const std::vector<double> time_codes_s =
        DocumentWriter::DistinctTimes(motion_.time_codes_s[wire::kWeights]);
    const int input = out_.AddTimes(time_codes_s);
    std::vector<float> values, between(static_cast<size_t>(track(wire::kWeights).width()));
    for (const double time_code_s : time_codes_s) {
      const absl::Span<const float> all =
          track(wire::kWeights).Sample(time_code_s, absl::MakeSpan(between));
      values.insert(values.end(), all.begin(), all.end());
    }
    const int output = out_.Add(values, 1);
    out_.channels.push_back(
        {base_ + static_cast<int>(skeleton_.joints.size()), input, output, "weights"});
  }

  const asset::Motion& motion_;
  DocumentWriter& out_;
  const int above_, base_;  // nodes: the one above the roots, and the first joint
  bool moves_ = false;      // has a channel
  asset::MotionSkeleton skeleton_;
  std::vector<Affine> model_;
  std::vector<float> points_;
  std::vector<uint16_t> owners_;
  std::vector<uint32_t> triangles_;
};

// A box of a prop's size, about the origin of its shape.
int AddBox(const asset::SceneProp& prop, DocumentWriter& out) {
  const Vec3 half = prop.size * 0.5f;
  const bool stands = wire::StandsOnItsOrigin(prop.shape);
  std::vector<float> points;
  for (int corner = 0; corner < 8; ++corner) {
    points.insert(points.end(), {corner & 1 ? half.x : -half.x,
                                 (corner & 2 ? half.y : -half.y) + (stands ? half.y : 0),
                                 corner & 4 ? half.z : -half.z});
  }
  const std::vector<uint16_t> triangles = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  DocumentWriter::Mesh mesh = {.name = prop.name};
  mesh.attributes = {{"POSITION", out.AddBounded(points, 3, kVertices)}};
  mesh.indices = out.Add(triangles, 1, kTriangles);
  out.meshes.push_back(std::move(mesh));
  return static_cast<int>(out.meshes.size()) - 1;
}

absl::Status BuildScene(const std::vector<asset::SceneClip>& clips,
                        const std::vector<asset::SceneProp>& props, DocumentWriter& out) {
  if (clips.empty()) return absl::InvalidArgumentError("the scene has no characters");
  for (size_t i = 0; i < clips.size(); ++i) {
    const asset::SceneCharacter& character = clips[i].character;
    const skel::Trs place =
        skel::Decompose(skel::Inverse(asset::Into(character.place)).value_or(Affine{}));
    const int above = out.AddNode({.name = character.name,
                                   .translation = place.translation,
                                   .rotation = skel::Normalized(place.rotation)},
                                  -1);
    if (absl::Status s = ClipBuilder(clips[i].motion, out, above).Build(); !s.ok()) {
      return absl::Status(s.code(), absl::StrCat(character.name, ": ", s.message()));
    }
    if (i == 0) AddCamera(clips[i].motion, place, out);
  }
  out.animation = "scene";
  for (const asset::SceneProp& prop : props) {
    DocumentWriter::Node node = {.name = prop.name, .mesh = AddBox(prop, out)};
    node.prop_shape = prop.shape;
    node.prop_size = prop.size;
    AddPlaces(out.AddNode(std::move(node), -1), prop.times_s, prop.places, out);
  }
  return out.CheckSize();
}

}  // namespace

absl::Status WriteGlbScene(const std::vector<asset::SceneClip>& clips,
                           const std::vector<asset::SceneProp>& props, asset::PutBytes put) {
  DocumentWriter out;
  if (absl::Status s = BuildScene(clips, props, out); !s.ok()) return s;
  return out.PutGlb(put);
}

absl::Status WriteGltfScene(const std::vector<asset::SceneClip>& clips,
                            const std::vector<asset::SceneProp>& props, asset::PutBytes put) {
  DocumentWriter out;
  if (absl::Status s = BuildScene(clips, props, out); !s.ok()) return s;
  return out.PutGltf(put);
}

absl::Status WriteGlb(const asset::Motion& motion, asset::PutBytes put) {
  DocumentWriter out;
  if (absl::Status s = ClipBuilder(motion, out).Build(); !s.ok()) return s;
  return out.PutGlb(put);
}

absl::Status WriteGltf(const asset::Motion& motion, asset::PutBytes put) {
  DocumentWriter out;
  if (absl::Status s = ClipBuilder(motion, out).Build(); !s.ok()) return s;
  return out.PutGltf(put);
}

}  // namespace posewire::gltf
