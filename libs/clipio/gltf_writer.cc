#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "libs/clipio/gltf.h"
#include "libs/clipio/motion_skeleton.h"
#include "libs/clipio/spike.h"
#include "libs/skel/affine.h"
#include "libs/skel/path_index.h"

namespace posewire::clipio {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

// glTF's numbers for what an accessor holds and a view is for.
constexpr int kUShort = 5123, kUInt = 5125, kFloat = 5126;
constexpr int kVertices = 34962, kTriangles = 34963;
constexpr float kLeastMove = 1e-7f;

class Builder {
 public:
  explicit Builder(const Motion& motion) : motion_(motion) {}

  absl::Status Build() {
    const bool joints = !track(wire::kTranslations).empty() || !track(wire::kRotations).empty() ||
                        !track(wire::kScales).empty();
    if (joints) {
      absl::StatusOr<MotionSkeleton> skeleton = MotionSkeleton::Of(motion_);
      if (!skeleton.ok()) return skeleton.status();
      skeleton_ = *std::move(skeleton);
      FindPlaces();
    } else if (track(wire::kWeights).empty()) {
      return absl::InvalidArgumentError("the clip has neither poses nor weights");
    }
    AddMesh();
    if (joints) AddPoses();
    if (!track(wire::kWeights).empty()) AddWeights();
    if (bytes_.size() > std::numeric_limits<uint32_t>::max() / 2) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the clip would have ", bytes_.size(), " bytes as glTF, which has at most ",
                       std::numeric_limits<uint32_t>::max() / 2, " here; cut it first"));
    }
    return absl::OkStatus();
  }

  const std::string& bytes() const { return bytes_; }

  // With `uri` as the buffer's; "": it is the binary chunk of the same file.
  std::string Json(const std::string& uri) const {
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> json(text);
    const auto wholes = [&json](const char* name, absl::Span<const int> all) {
      json.Key(name);
      json.StartArray();
      for (const int one : all) json.Int(one);
      json.EndArray();
    };
    json.StartObject();
    json.Key("asset");
    json.StartObject();
    json.Key("version"), json.String("2.0");
    json.Key("generator"), json.String("Posewire");
    json.EndObject();
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
    wholes("nodes", roots);
    json.EndObject();
    json.EndArray();
    json.Key("nodes");
    json.StartArray();
    for (size_t j = 0; j < nodes_.size(); ++j) {
      json.StartObject();
      Text(json, "name", std::string(skel::LastPathElement(skeleton_.joints[j].path)));
      if (!children[j].empty()) wholes("children", children[j]);
      const skel::Trs& place = nodes_[j];
      const Vec3 t = place.translation, s = place.scale;
      const Quat q = place.rotation;
      Numbers(json, "translation", {t.x, t.y, t.z});
      Numbers(json, "rotation", {q.x, q.y, q.z, q.w});
      if (s.x != 1 || s.y != 1 || s.z != 1) Numbers(json, "scale", {s.x, s.y, s.z});
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
      wholes("joints", all);
      json.Key("inverseBindMatrices"), json.Int(inverse_bind_);
      json.EndObject();
      json.EndArray();
    }
    WriteMesh(json);
    WriteAnimation(json);
    WriteArrays(json);
    json.Key("buffers");
    json.StartArray();
    json.StartObject();
    json.Key("byteLength"), json.Uint64(bytes_.size());
    if (!uri.empty()) Text(json, "uri", uri);
    json.EndObject();
    json.EndArray();
    json.EndObject();
    return {text.GetString(), text.GetSize()};
  }

 private:
  using Writer = rapidjson::Writer<rapidjson::StringBuffer>;
  struct Array {
    size_t offset = 0, bytes = 0, count = 0;
    int component = kFloat, target = 0;
    const char* type = "SCALAR";
    std::vector<float> low, high;
    bool zeros = false;  // without bytes
  };
  struct Channel {
    int node = 0, input = 0, output = 0;
    const char* path = "";
  };

  const skel::KeyTrack& track(wire::PoseTrack t) const { return motion_.tracks[t]; }

  static void Text(Writer& json, const char* name, const std::string& text) {
    json.Key(name);
    json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  static void Numbers(Writer& json, const char* name, absl::Span<const float> all) {
    json.Key(name);
    json.StartArray();
    for (const float one : all) json.Double(static_cast<double>(one));
    json.EndArray();
  }
  static void Numbers(Writer& json, const char* name, std::initializer_list<float> all) {
    Numbers(json, name, absl::MakeConstSpan(all.begin(), all.size()));
  }

  template <typename T>
  int Add(const std::vector<T>& values, const char* type, size_t width, int component,
          int target = 0) {
    Array array;
    array.offset = bytes_.size();
    array.bytes = values.size() * sizeof(T);
    array.count = values.size() / width;
    array.component = component;
    array.target = target;
    array.type = type;
    bytes_.append(reinterpret_cast<const char*>(values.data()), array.bytes);
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
    arrays_.push_back(array);
    return static_cast<int>(arrays_.size()) - 1;
  }

  void SetBounds(int array, absl::Span<const float> values, size_t width) {
    Array& a = arrays_[static_cast<size_t>(array)];
    a.low.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width));
    a.high = a.low;
    for (size_t i = 0; i < values.size(); ++i) {
      a.low[i % width] = std::min(a.low[i % width], values[i]);
      a.high[i % width] = std::max(a.high[i % width], values[i]);
    }
  }

  // Where the joints are at rest, in their parents and in the model.
  void FindPlaces() {
    for (const MotionSkeleton::Joint& joint : skeleton_.joints) {
      nodes_.push_back({joint.translation, joint.rotation});
      const Affine local = skel::FromTrs(joint.translation, joint.rotation, {1, 1, 1});
      model_.push_back(
          joint.parent < 0 ? local : skel::Mul(local, model_[static_cast<size_t>(joint.parent)]));
    }
  }

  void AddSpike(Vec3 from, Vec3 to, int joint) {
    const auto first = static_cast<uint32_t>(points_.size() / 3);
    for (const Vec3 p : SpikePoints(from, to)) {
      points_.insert(points_.end(), {p.x, p.y, p.z});
      owners_.insert(owners_.end(), {static_cast<uint16_t>(joint), 0, 0, 0});
    }
    for (const auto& triangle : kSpikeTriangles) {
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
    position_ = Add(points_, "VEC3", 3, kFloat, kVertices);
    SetBounds(position_, points_, 3);
    indices_ = Add(triangles_, "SCALAR", 1, kUInt, kTriangles);
    if (skeleton_.joints.empty()) return;
    joints_ = Add(owners_, "VEC4", 4, kUShort, kVertices);
    std::vector<float> weights(owners_.size(), 0);
    for (size_t i = 0; i < weights.size(); i += 4) weights[i] = 1;
    weights_ = Add(weights, "VEC4", 4, kFloat, kVertices);
    std::vector<float> matrices;
    for (const Affine& m : model_) {
      const Affine inverse = skel::Inverse(m).value_or(Affine{});
      for (size_t r = 0; r < 4; ++r) {
        const Vec3 row = inverse.row[r];
        matrices.insert(matrices.end(), {row.x, row.y, row.z, r == 3 ? 1.0f : 0.0f});
      }
    }
    inverse_bind_ = Add(matrices, "MAT4", 16, kFloat);
  }

  // 32-bit times that rise; which of the track's keys they are goes to `kept`.
  int AddTimes(const std::vector<double>& codes_s, std::vector<double>* kept) {
    std::vector<float> times;
    for (const double code_s : codes_s) {
      const auto time = static_cast<float>(code_s);
      if (!times.empty() && time <= times.back()) continue;
      times.push_back(time);
      kept->push_back(code_s);
    }
    const int array = Add(times, "SCALAR", 1, kFloat);
    SetBounds(array, times, 1);
    return array;
  }

  // A channel for each joint that moves; where the others stand is said by their nodes.
  template <typename ValueOf, typename Keep>
  void AddTrack(wire::PoseTrack t, const char* path, size_t width, ValueOf value_of, Keep keep) {
    if (track(t).empty()) return;
    std::vector<double> codes_s;
    const int input = AddTimes(motion_.codes_s[t], &codes_s);
    const size_t joints = skeleton_.joints.size();
    std::vector<std::vector<float>> values(joints);
    MotionPose pose(motion_, skeleton_);
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
      const int output = Add(v, width == 4 ? "VEC4" : "VEC3", width, kFloat);
      channels_.push_back({static_cast<int>(j), input, output, path});
    }
  }

  void AddPoses() {
    AddTrack(
        wire::kRotations, "rotation", 4,
        [](const MotionPose& pose, double, size_t j, std::vector<float>& out) {
          const Quat q = skel::Normalized(pose.rotations()[j]);
          out.insert(out.end(), {q.x, q.y, q.z, q.w});
        },
        [](skel::Trs& node, const std::vector<float>& v) {
          node.rotation = {v[3], v[0], v[1], v[2]};
        });
    AddTrack(
        wire::kTranslations, "translation", 3,
        [](const MotionPose& pose, double, size_t j, std::vector<float>& out) {
          const Vec3 t = pose.translations()[j];
          out.insert(out.end(), {t.x, t.y, t.z});
        },
        [](skel::Trs& node, const std::vector<float>& v) {
          node.translation = {v[0], v[1], v[2]};
        });
    std::vector<float> between(static_cast<size_t>(track(wire::kScales).width()));
    AddTrack(
        wire::kScales, "scale", 3,
        [&](const MotionPose&, double code_s, size_t j, std::vector<float>& out) {
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
    Array zeros;
    zeros.count = points_.size() / 3;
    zeros.type = "VEC3";
    zeros.zeros = true;
    zeros.low = zeros.high = {0, 0, 0};
    arrays_.push_back(zeros);
    no_offsets_ = static_cast<int>(arrays_.size()) - 1;
    std::vector<double> codes_s;
    const int input = AddTimes(motion_.codes_s[wire::kWeights], &codes_s);
    std::vector<float> values, between(static_cast<size_t>(track(wire::kWeights).width()));
    for (const double code_s : codes_s) {
      const absl::Span<const float> all =
          track(wire::kWeights).Sample(code_s, absl::MakeSpan(between));
      values.insert(values.end(), all.begin(), all.end());
    }
    const int output = Add(values, "SCALAR", 1, kFloat);
    channels_.push_back({static_cast<int>(skeleton_.joints.size()), input, output, "weights"});
  }

  void WriteMesh(Writer& json) const {
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

  void WriteAnimation(Writer& json) const {
    json.Key("animations");
    json.StartArray();
    json.StartObject();
    Text(json, "name",
         motion_.header->ids.request_id.empty() ? "clip" : motion_.header->ids.request_id);
    json.Key("samplers");
    json.StartArray();
    for (const Channel& channel : channels_) {
      json.StartObject();
      json.Key("input"), json.Int(channel.input);
      json.Key("output"), json.Int(channel.output);
      json.EndObject();
    }
    json.EndArray();
    json.Key("channels");
    json.StartArray();
    for (size_t i = 0; i < channels_.size(); ++i) {
      json.StartObject();
      json.Key("sampler"), json.Uint64(i);
      json.Key("target");
      json.StartObject();
      json.Key("node"), json.Int(channels_[i].node);
      json.Key("path"), json.String(channels_[i].path);
      json.EndObject();
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    json.EndArray();
  }

  void WriteArrays(Writer& json) const {
    json.Key("accessors");
    json.StartArray();
    int view = 0;
    for (const Array& a : arrays_) {
      json.StartObject();
      if (!a.zeros) json.Key("bufferView"), json.Int(view++);
      json.Key("componentType"), json.Int(a.component);
      json.Key("count"), json.Uint64(a.count);
      json.Key("type"), json.String(a.type);
      if (!a.low.empty()) {
        Numbers(json, "min", a.low);
        Numbers(json, "max", a.high);
      }
      json.EndObject();
    }
    json.EndArray();
    json.Key("bufferViews");
    json.StartArray();
    for (const Array& a : arrays_) {
      if (a.zeros) continue;
      json.StartObject();
      json.Key("buffer"), json.Int(0);
      json.Key("byteOffset"), json.Uint64(a.offset);
      json.Key("byteLength"), json.Uint64(a.bytes);
      if (a.target != 0) json.Key("target"), json.Int(a.target);
      json.EndObject();
    }
    json.EndArray();
  }

  const Motion& motion_;
  MotionSkeleton skeleton_;
  std::vector<skel::Trs> nodes_;
  std::vector<Affine> model_;
  std::vector<float> points_;
  std::vector<uint16_t> owners_;
  std::vector<uint32_t> triangles_;
  int position_ = -1, indices_ = -1, joints_ = -1, weights_ = -1, inverse_bind_ = -1;
  int no_offsets_ = -1;  // of the morph targets
  std::vector<Array> arrays_;
  std::vector<Channel> channels_;
  std::string bytes_;
};

std::string Word(size_t number) {
  const auto word = static_cast<uint32_t>(number);
  std::string out(sizeof(word), '\0');
  std::memcpy(out.data(), &word, sizeof(word));
  return out;
}

}  // namespace

absl::Status WriteGlb(const Motion& motion, PutBytes put) {
  if (!motion.header) return absl::InvalidArgumentError("the clip has no header");
  Builder builder(motion);
  if (absl::Status s = builder.Build(); !s.ok()) return s;
  std::string json = builder.Json("");
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const std::string& bytes = builder.bytes();
  const size_t whole = 12 + 8 + json.size() + 8 + bytes.size();
  if (absl::Status s = put(absl::StrCat("glTF", Word(2), Word(whole), Word(json.size()), "JSON",
                                        json, Word(bytes.size()), absl::string_view("BIN\0", 4)));
      !s.ok()) {
    return s;
  }
  return put(bytes);
}

absl::Status WriteGltf(const Motion& motion, PutBytes put) {
  if (!motion.header) return absl::InvalidArgumentError("the clip has no header");
  Builder builder(motion);
  if (absl::Status s = builder.Build(); !s.ok()) return s;
  return put(builder.Json(
      absl::StrCat("data:application/octet-stream;base64,", absl::Base64Escape(builder.bytes()))));
}

}  // namespace posewire::clipio
