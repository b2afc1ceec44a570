#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/asset/motion_skeleton.h"
#include "libs/asset/spike.h"
#include "libs/formats/gltf/document_writer.h"
#include "libs/formats/gltf/gltf.h"
#include "libs/skel/affine.h"
#include "libs/skel/path_index.h"

namespace posewire::gltf {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

class ClipBuilder {
 public:
  ClipBuilder(const asset::Motion& motion, DocumentWriter& out) : motion_(motion), out_(out) {}

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
    out_.roots = {static_cast<int>(skeleton_.joints.size())};  // the mesh
    for (const asset::MotionSkeleton::Joint& joint : skeleton_.joints) {
      out_.AddNode({.name = std::string(skel::LastPathElement(joint.path)),
                    .translation = joint.translation,
                    .rotation = joint.rotation},
                   joint.parent);
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
    DocumentWriter::Mesh mesh = {.name = "Bones"};
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
      std::iota(all.begin(), all.end(), 0);
      out_.skins.push_back({std::move(all), out_.AddMatrices(inverse)});
    }
    out_.nodes.push_back({.name = "Bones", .mesh = 0, .skin = joints > 0 ? 0 : -1});
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
      const bool first = j == 0 && out_.channels.empty();
      if (!moves) keep(out_.nodes[j], v);
      if (!moves && !first) continue;
      if (input < 0) input = out_.AddTimes(time_codes_s);
      const int output = out_.Add(v, width);
      out_.channels.push_back({static_cast<int>(j), input, output, path});
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
    DocumentWriter::Mesh& mesh = out_.meshes[0];
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
    out_.channels.push_back({static_cast<int>(skeleton_.joints.size()), input, output, "weights"});
  }

  const asset::Motion& motion_;
  DocumentWriter& out_;
  asset::MotionSkeleton skeleton_;
  std::vector<Affine> model_;
  std::vector<float> points_;
  std::vector<uint16_t> owners_;
  std::vector<uint32_t> triangles_;
};

}  // namespace

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
