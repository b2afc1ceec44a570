// Evaluates the meshes of a glTF file in its first animation: morph targets, then skins, then
// nodes, according to section 3.11 of the specification (Khronos, glTF 2.0).
#include "libs/formats/gltf/points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/character.h"
#include "libs/formats/gltf/sampler.h"
#include "libs/formats/gltf/scene.h"
#include "libs/mesh/blend_shapes.h"
#include "libs/mesh/skin_job.h"
#include "libs/skel/affine.h"

namespace posewire::gltf {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

constexpr double kLongest_s = 1e6;

struct Channel {
  enum class Path { kTranslation, kRotation, kScale, kWeights };
  int node = -1;
  Path path = Path::kWeights;
  size_t width = 0;
  Sampler keys;
};

class GltfPoints : public character::PointAnimation {
 public:
  absl::Status Read(Document& document, const character::Limits& limits) {
    std::vector<character::MeshOrigin> origins;
    if (absl::Status s = ReadScene(document, limits, {}, scene_, origins); !s.ok()) return s;
    for (const character::Mesh& mesh : scene_.meshes) {
      std::string name = mesh.name;
      parts_.push_back({std::move(name), mesh.points.size()});
    }
    ReadChannels(document);
    return document.status();
  }

  double natural_hz() const override { return 0; }
  size_t frames(double hz) const override {
    return 1 + static_cast<size_t>(std::llround((last_s_ - first_s_) * hz));
  }

  absl::Status Frame(size_t frame, double hz, absl::Span<Vec3> out) override {
    Move(std::min(last_s_, first_s_ + static_cast<double>(frame) / hz));
    size_t at = 0;
    for (size_t m = 0; m < scene_.meshes.size(); ++m) {
      const character::Mesh& mesh = scene_.meshes[m];
      const auto mine = out.subspan(at, mesh.points.size());
      std::copy(mesh.points.begin(), mesh.points.end(), mine.begin());
      if (absl::Status s = mesh::BlendShapesJob{mesh.shapes, weights_[m], mine, {}}.Run(); !s.ok())
        return s;
      if (mesh.skin < 0) {
        const Affine& place = places_[static_cast<size_t>(mesh.node)];
        for (Vec3& p : mine) p = skel::TransformPoint(place, p);
      } else if (absl::Status s = Skinned(mesh, mine); !s.ok()) {
        return s;
      }
      if (absl::Status s = character::CheckPoints(mine, parts_[m].name); !s.ok()) return s;
      at += mine.size();
    }
    return absl::OkStatus();
  }

 private:
  void ReadChannels(Document& document) {
    const Json animation = document.root()["animations"].At(0);
    const Json channels = animation["channels"], samplers = animation["samplers"];
    for (size_t i = 0; i < channels.size() && document.status().ok(); ++i) {
      const Json from = channels.At(i);
      Channel channel;
      channel.node = from["target"]["node"].Index(scene_.nodes.size());
      const std::string path = from["target"]["path"].Text();
      if (channel.node < 0) continue;  // of an extension
      if (path == "translation" || path == "scale") {
        channel.path = path == "scale" ? Channel::Path::kScale : Channel::Path::kTranslation;
        channel.width = 3;
      } else if (path == "rotation") {
        channel.path = Channel::Path::kRotation;
        channel.width = 4;
      } else if (path == "weights") {
        for (const character::Mesh& mesh : scene_.meshes) {
          if (mesh.node == channel.node) {
            channel.width = std::max(channel.width, mesh.shapes.size());
          }
        }
      }
      if (channel.width == 0) continue;
      const Json sampler =
          samplers.At(static_cast<size_t>(std::max(from["sampler"].Index(samplers.size()), 0)));
      const bool weights = channel.path == Channel::Path::kWeights;
      auto keys = Sampler::Read(document, sampler, weights ? 0 : channel.width,
                                channel.path == Channel::Path::kRotation);
      if (!keys) return;
      channel.keys = *std::move(keys);
      if (channel.keys.width != channel.width || !(channel.keys.times.back() <= kLongest_s)) {
        return sampler.Wrong(absl::StrCat("has ", channel.keys.width, " numbers a key up to ",
                                          channel.keys.times.back(), " s, expected ", channel.width,
                                          " up to ", kLongest_s, " s"));
      }
      last_s_ = std::max(last_s_, channel.keys.times.back());
      channels_.push_back(std::move(channel));
    }
    if (channels_.empty()) return;
    // The time before the first key is part of the file, but not of the motion.
    first_s_ = last_s_;
    for (const Channel& c : channels_) first_s_ = std::min(first_s_, c.keys.times.front());
  }

  // Computes the nodes and weights at a time.
  void Move(double time) {
    std::vector<character::CharacterNode> nodes = scene_.nodes;
    weights_.clear();
    for (const character::Mesh& mesh : scene_.meshes) weights_.push_back(mesh.shape_weights);
    std::vector<float> v;
    for (const Channel& channel : channels_) {
      v.resize(channel.width);
      channel.keys.At(time, v.data());
      character::CharacterNode& node = nodes[static_cast<size_t>(channel.node)];
      switch (channel.path) {
        case Channel::Path::kTranslation:
          node.translation = {v[0], v[1], v[2]};
          break;
        case Channel::Path::kRotation:
          node.rotation = skel::Normalized(Quat{v[3], v[0], v[1], v[2]});
          break;
        case Channel::Path::kScale:
          node.scale = {v[0], v[1], v[2]};
          break;
        case Channel::Path::kWeights:
          for (size_t m = 0; m < scene_.meshes.size(); ++m) {
            if (scene_.meshes[m].node != channel.node) continue;
            std::copy_n(v.begin(), std::min(v.size(), weights_[m].size()), weights_[m].begin());
          }
      }
    }
    places_.resize(nodes.size());
    for (const int n : scene_.order) {
      const character::CharacterNode& node = nodes[static_cast<size_t>(n)];
      const Affine own = skel::FromTrs(node.translation, node.rotation, node.scale);
      places_[static_cast<size_t>(n)] =
          node.parent < 0 ? own : skel::Mul(own, places_[static_cast<size_t>(node.parent)]);
    }
  }

  absl::Status Skinned(const character::Mesh& mesh, absl::Span<Vec3> points) const {
    const character::Skin& skin = scene_.skins[static_cast<size_t>(mesh.skin)];
    std::vector<Affine> transforms;
    for (size_t j = 0; j < skin.nodes.size(); ++j) {
      transforms.push_back(
          skel::Mul(skin.inverse_bind[j], places_[static_cast<size_t>(skin.nodes[j])]));
    }
    mesh::SkinJob job;
    job.transforms = transforms;
    job.indices = mesh.joints;
    job.weights = mesh.weights;
    job.per_point = mesh.per_point;
    job.points = points;
    job.out_points = points;
    return job.Run();
  }

  character::Character scene_;
  std::vector<Channel> channels_;
  double first_s_ = 0, last_s_ = 0;
  std::vector<std::vector<float>> weights_;  // by mesh
  std::vector<Affine> places_;               // by node
};

}  // namespace

absl::StatusOr<std::unique_ptr<character::PointAnimation>> ReadPoints(
    absl::string_view bytes, const character::Limits& limits,
    const asset::ReadSidecar& read_sidecar) {
  auto document = Document::Parse(bytes, limits, read_sidecar);
  if (!document.ok()) return document.status();
  auto out = std::make_unique<GltfPoints>();
  if (absl::Status s = out->Read(**document, limits); !s.ok()) return s;
  return out;
}

}  // namespace posewire::gltf
