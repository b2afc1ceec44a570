#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/asset/motion_skeleton.h"
#include "libs/asset/spike.h"
#include "libs/formats/gltf/arrays.h"
#include "libs/formats/gltf/gltf.h"
#include "libs/skel/affine.h"
#include "libs/skel/path_index.h"

namespace posewire::gltf {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

class Builder {
 public:
  explicit Builder(const asset::Motion& motion) : motion_(motion) {}

  absl::Status Build() {
    const bool joints = !track(wire::kTranslations).empty() || !track(wire::kRotations).empty() ||
                        !track(wire::kScales).empty();
    if (joints) {
      absl::StatusOr<asset::MotionSkeleton> skeleton = asset::MotionSkeleton::Of(motion_);
      if (!skeleton.ok()) return skeleton.status();
      skeleton_ = *std::move(skeleton);
      FindPlaces();
    } else if (track(wire::kWeights).empty()) {
      return absl::InvalidArgumentError("the clip has neither poses nor weights");
    }
    AddMesh();
    if (joints) AddPoses();
    if (!track(wire::kWeights).empty()) AddWeights();
    return arrays_.CheckSize();
  }

  const GltfArrays& arrays() const { return arrays_; }

  // The members of the root object that are not arrays.
  void Write(JsonWriter& json) const {
    json.Key("scene"), json.Int(0);
    const int joints = static_cast<int>(skeleton_.joints.size());
    std::vector<int> roots = {joints};  // the mesh
    std::vector<std::vector<int>> children(static_cast<size_t>(joints));
    for (int j = 0; j < joints; ++j) {
      const int parent = skeleton_.joints[static_cast<size_t>(j)].parent;
      (parent < 0 ? roots : children[static_cast<size_t>(parent)]).push_back(j);
    }
    json.Key("scenes");
    json.StartArray();
    json.StartObject();
    WriteWholes(json, "nodes", roots);
    json.EndObject();
    json.EndArray();
    json.Key("nodes");
    json.StartArray();
    for (size_t j = 0; j < nodes_.size(); ++j) {
      json.StartObject();
      WriteText(json, "name", std::string(skel::LastPathElement(skeleton_.joints[j].path)));
      if (!children[j].empty()) WriteWholes(json, "children", children[j]);
      const skel::Trs& place = nodes_[j];
      const Vec3 t = place.translation, s = place.scale;
      const Quat q = place.rotation;
      WriteNumbers(json, "translation", {t.x, t.y, t.z});
      WriteNumbers(json, "rotation", {q.x, q.y, q.z, q.w});
      if (s.x != 1 || s.y != 1 || s.z != 1) WriteNumbers(json, "scale", {s.x, s.y, s.z});
      json.EndObject();
    }
    json.StartObject();
    json.Key("name"), json.String("Bones");
    json.Key("mesh"), json.Int(0);
    if (joints > 0) json.Key("skin"), json.Int(0);
    json.EndObject();
    json.EndArray();
    if (joints > 0) {
      std::vector<int> all(static_cast<size_t>(joints));
      for (int j = 0; j < joints; ++j) all[static_cast<size_t>(j)] = j;
      json.Key("skins");
      json.StartArray();
      json.StartObject();
      WriteWholes(json, "joints", all);
      json.Key("inverseBindMatrices"), json.Int(inverse_bind_);
      json.EndObject();
      json.EndArray();
    }
    WriteMesh(json);
    const std::string& name = motion_.header->ids.request_id;
    WriteAnimation(json, name.empty() ? "clip" : name, channels_);
  }

 private:
  const skel::KeyTrack& track(wire::PoseTrack t) const { return motion_.tracks[t]; }

  // Where the joints are at rest, in their parents and in the model.
  void FindPlaces() {
    for (const asset::MotionSkeleton::Joint& joint : skeleton_.joints) {
      nodes_.push_back({joint.translation, joint.rotation});
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
    position_ = arrays_.Add(points_, "VEC3", 3, kFloat, kVertices);
    arrays_.SetBounds(position_, points_, 3);
    indices_ = arrays_.Add(triangles_, "SCALAR", 1, kUInt, kTriangles);
    if (skeleton_.joints.empty()) return;
    joints_ = arrays_.Add(owners_, "VEC4", 4, kUShort, kVertices);
    std::vector<float> weights(owners_.size(), 0);
    for (size_t i = 0; i < weights.size(); i += 4) weights[i] = 1;
    weights_ = arrays_.Add(weights, "VEC4", 4, kFloat, kVertices);
    std::vector<float> matrices;
    for (const Affine& m : model_) {
      const Affine inverse = skel::Inverse(m).value_or(Affine{});
      for (size_t r = 0; r < 4; ++r) {
        const Vec3 row = inverse.row[r];
        matrices.insert(matrices.end(), {row.x, row.y, row.z, r == 3 ? 1.0f : 0.0f});
      }
    }
    inverse_bind_ = arrays_.Add(matrices, "MAT4", 16, kFloat);
  }

  // A channel for each joint that moves; where the others stand is said by their nodes.
  template <typename ValueOf, typename Keep>
  void AddTrack(wire::PoseTrack t, const char* path, size_t width, ValueOf value_of, Keep keep) {
    if (track(t).empty()) return;
    const std::vector<double> codes_s = GltfArrays::DistinctTimes(motion_.codes_s[t]);
    int input = -1;
    const size_t joints = skeleton_.joints.size();
    std::vector<std::vector<float>> values(joints);
    asset::MotionPose pose(motion_, skeleton_);
    for (const double code_s : codes_s) {
      pose.Sample(code_s);
      for (size_t j = 0; j < joints; ++j) value_of(pose, code_s, j, values[j]);
    }
    for (size_t j = 0; j < joints; ++j) {
      const std::vector<float>& v = values[j];
      bool moves = false;
      for (size_t i = width; i < v.size(); ++i) {
        moves = moves || std::fabs(v[i] - v[i % width]) > kLeastMove;
      }
      // The first joint's turns keep the skeleton in the clip when all of it stands still.
      const bool first = j == 0 && channels_.empty();
      if (!moves) keep(nodes_[j], v);
      if (!moves && !first) continue;
      if (input < 0) input = arrays_.AddTimes(codes_s);
      const int output = arrays_.Add(v, width == 4 ? "VEC4" : "VEC3", width, kFloat);
      channels_.push_back({static_cast<int>(j), input, output, path});
    }
  }

  void AddPoses() {
    AddTrack(
        wire::kRotations, "rotation", 4,
        [](const asset::MotionPose& pose, double, size_t j, std::vector<float>& out) {
          const Quat q = skel::Normalized(pose.rotations()[j]);
          out.insert(out.end(), {q.x, q.y, q.z, q.w});
        },
        [](skel::Trs& node, const std::vector<float>& v) {
          node.rotation = {v[3], v[0], v[1], v[2]};
        });
    AddTrack(
        wire::kTranslations, "translation", 3,
        [](const asset::MotionPose& pose, double, size_t j, std::vector<float>& out) {
          const Vec3 t = pose.translations()[j];
          out.insert(out.end(), {t.x, t.y, t.z});
        },
        [](skel::Trs& node, const std::vector<float>& v) {
          node.translation = {v[0], v[1], v[2]};
        });
    std::vector<float> between(static_cast<size_t>(track(wire::kScales).width()));
    AddTrack(
        wire::kScales, "scale", 3,
        [&](const asset::MotionPose&, double code_s, size_t j, std::vector<float>& out) {
          const absl::Span<const float> all =
              track(wire::kScales).Sample(code_s, absl::MakeSpan(between));
          const int source = skeleton_.joints[j].source;
          const auto at = 3 * static_cast<size_t>(std::max(source, 0));
          if (source < 0) return (void)out.insert(out.end(), {1, 1, 1});
          out.insert(out.end(), {all[at], all[at + 1], all[at + 2]});
        },
        [](skel::Trs& node, const std::vector<float>& v) {
          node.scale = {v[0], v[1], v[2]};
        });
  }

  void AddWeights() {
    no_offsets_ = arrays_.AddZeros(points_.size() / 3);
    const std::vector<double> codes_s = GltfArrays::DistinctTimes(motion_.codes_s[wire::kWeights]);
    const int input = arrays_.AddTimes(codes_s);
    std::vector<float> values, between(static_cast<size_t>(track(wire::kWeights).width()));
    for (const double code_s : codes_s) {
      const absl::Span<const float> all =
          track(wire::kWeights).Sample(code_s, absl::MakeSpan(between));
      values.insert(values.end(), all.begin(), all.end());
    }
    const int output = arrays_.Add(values, "SCALAR", 1, kFloat);
    channels_.push_back({static_cast<int>(skeleton_.joints.size()), input, output, "weights"});
  }

  void WriteMesh(JsonWriter& json) const {
    const std::vector<std::string>& shapes = motion_.header->shapes;
    const bool morphs = no_offsets_ >= 0;
    json.Key("meshes");
    json.StartArray();
    json.StartObject();
    json.Key("name"), json.String("Bones");
    json.Key("primitives");
    json.StartArray();
    json.StartObject();
    json.Key("attributes");
    json.StartObject();
    json.Key("POSITION"), json.Int(position_);
    if (joints_ >= 0) {
      json.Key("JOINTS_0"), json.Int(joints_);
      json.Key("WEIGHTS_0"), json.Int(weights_);
    }
    json.EndObject();
    json.Key("indices"), json.Int(indices_);
    if (morphs) {
      json.Key("targets");
      json.StartArray();
      for (size_t i = 0; i < shapes.size(); ++i) {
        json.StartObject();
        json.Key("POSITION"), json.Int(no_offsets_);
        json.EndObject();
      }
      json.EndArray();
    }
    json.EndObject();
    json.EndArray();
    if (morphs) {
      json.Key("extras");
      json.StartObject();
      json.Key("targetNames");
      json.StartArray();
      for (const std::string& shape : shapes) {
        json.String(shape.data(), static_cast<rapidjson::SizeType>(shape.size()));
      }
      json.EndArray();
      json.EndObject();
    }
    json.EndObject();
    json.EndArray();
  }

  const asset::Motion& motion_;
  asset::MotionSkeleton skeleton_;
  std::vector<skel::Trs> nodes_;
  std::vector<Affine> model_;
  std::vector<float> points_;
  std::vector<uint16_t> owners_;
  std::vector<uint32_t> triangles_;
  int position_ = -1, indices_ = -1, joints_ = -1, weights_ = -1, inverse_bind_ = -1;
  int no_offsets_ = -1;  // of the morph targets
  GltfArrays arrays_;
  std::vector<GltfChannel> channels_;
};

}  // namespace

absl::Status WriteGlb(const asset::Motion& motion, asset::PutBytes put) {
  if (!motion.header) return absl::InvalidArgumentError("the clip has no header");
  Builder builder(motion);
  if (absl::Status s = builder.Build(); !s.ok()) return s;
  return PutGlb(
      builder.arrays(), [&](JsonWriter& json) { builder.Write(json); }, put);
}

absl::Status WriteGltf(const asset::Motion& motion, asset::PutBytes put) {
  if (!motion.header) return absl::InvalidArgumentError("the clip has no header");
  Builder builder(motion);
  if (absl::Status s = builder.Build(); !s.ok()) return s;
  return PutGltf(
      builder.arrays(), [&](JsonWriter& json) { builder.Write(json); }, put);
}

}  // namespace posewire::gltf
