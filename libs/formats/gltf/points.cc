// The meshes of a glTF file in its first animation: morph targets, then skins, then nodes, by
// section 3.11 of the specification (Khronos, glTF 2.0).
#include "libs/formats/gltf/points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/character.h"
#include "libs/formats/gltf/scene.h"
#include "libs/mesh/blend_shapes.h"
#include "libs/mesh/skin_job.h"
#include "libs/skel/affine.h"

namespace posewire::gltf {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

// The keys of a channel, `width` numbers each.
struct Channel {
  enum class Path { kTranslation, kRotation, kScale, kWeights };
  enum class Mode { kLinear, kStep, kCubic };
  int node = -1;
  Path path = Path::kWeights;
  Mode mode = Mode::kLinear;
  size_t width = 0;
  std::vector<float> times, values;

  void At(double time, std::vector<float>& out) const {
    out.resize(width);
    const auto above = std::upper_bound(times.begin(), times.end(), time);
    const auto next = static_cast<size_t>(above - times.begin());
    const size_t last = times.size() - 1;
    const size_t a = next == 0 ? 0 : next - 1, b = std::min(next, last);
    const double length = double{times[b]} - double{times[a]};
    const auto t = static_cast<float>(length > 0 && next > 0 ? (time - times[a]) / length : 0);
    const size_t each = mode == Mode::kCubic ? 3 * width : width;
    const size_t middle = mode == Mode::kCubic ? width : 0;
    const float *from = &values[a * each + middle], *to = &values[b * each + middle];
    if (mode == Mode::kStep || a == b) {
      std::copy(from, from + width, out.begin());
    } else if (mode == Mode::kCubic) {
      const auto d = static_cast<float>(length);
      const float *leaves = from + width, *enters = to - width;
      const float t2 = t * t, t3 = t2 * t;
      for (size_t k = 0; k < width; ++k) {
        out[k] = (2 * t3 - 3 * t2 + 1) * from[k] + d * (t3 - 2 * t2 + t) * leaves[k] +
                 (3 * t2 - 2 * t3) * to[k] + d * (t3 - t2) * enters[k];
      }
    } else if (path == Path::kRotation) {
      const Quat q =
          skel::Slerp({from[3], from[0], from[1], from[2]}, {to[3], to[0], to[1], to[2]}, t);
      out = {q.x, q.y, q.z, q.w};
    } else {
      for (size_t k = 0; k < width; ++k) out[k] = from[k] + (to[k] - from[k]) * t;
    }
  }
};

class GltfPoints : public character::PointAnimation {
 public:
  absl::Status Read(gltf::Document& document, const character::Limits& limits) {
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
  void ReadChannels(gltf::Document& document) {
    const gltf::Json animation = document.root()["animations"].At(0);
    const gltf::Json channels = animation["channels"], samplers = animation["samplers"];
    const size_t accessors = document.root()["accessors"].size();
    for (size_t i = 0; i < channels.size() && document.status().ok(); ++i) {
      const gltf::Json from = channels.At(i);
      Channel channel;
      channel.node = from["target"]["node"].Index(scene_.nodes.size());
      const std::string path = from["target"]["path"].Text();
      if (channel.node < 0) continue;  // an extension's
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
      const gltf::Json sampler =
          samplers.At(static_cast<size_t>(std::max(from["sampler"].Index(samplers.size()), 0)));
      ReadKeys(document, sampler, accessors, channel);
      if (!document.status().ok()) return;
      if (channel.times.empty()) continue;
      last_s_ = std::max<double>(last_s_, channel.times.back());
      channels_.push_back(std::move(channel));
    }
    if (channels_.empty()) return;
    // The time before the first key belongs to the file, and not to the motion.
    first_s_ = last_s_;
    for (const Channel& c : channels_) first_s_ = std::min<double>(first_s_, c.times.front());
  }

  static void ReadKeys(gltf::Document& document, const gltf::Json& sampler, size_t accessors,
                       Channel& channel) {
    const std::string mode = sampler["interpolation"].Text("LINEAR");
    channel.mode = mode == "STEP"          ? Channel::Mode::kStep
                   : mode == "CUBICSPLINE" ? Channel::Mode::kCubic
                                           : Channel::Mode::kLinear;
    const int input = sampler["input"].Index(accessors),
              output = sampler["output"].Index(accessors);
    if (input < 0 || output < 0) return sampler.Wrong("has no input or no output");
    channel.times = document.Floats(input, 1);
    const bool scalars = channel.path == Channel::Path::kWeights;
    channel.values = document.Floats(output, scalars ? 1 : static_cast<int>(channel.width));
    if (!document.status().ok()) return;
    const size_t each = channel.width * (channel.mode == Channel::Mode::kCubic ? 3 : 1);
    const bool ascend = std::is_sorted(channel.times.begin(), channel.times.end());
    if (channel.times.empty() || channel.values.size() != each * channel.times.size() || !ascend ||
        !(channel.times.front() >= 0) || !(channel.times.back() <= 1e6f)) {
      sampler.Wrong(absl::StrCat("has ", channel.times.size(), " times and ", channel.values.size(),
                                 " numbers, expected ascending times up ", "to 1e6 s with ", each,
                                 " numbers each"));
    }
  }

  // Nodes and weights as they are at a time.
  void Move(double time) {
    std::vector<character::Node> nodes = scene_.nodes;
    weights_.clear();
    for (const character::Mesh& mesh : scene_.meshes) weights_.push_back(mesh.shape_weights);
    std::vector<float> v;
    for (const Channel& channel : channels_) {
      channel.At(time, v);
      character::Node& node = nodes[static_cast<size_t>(channel.node)];
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
      const character::Node& node = nodes[static_cast<size_t>(n)];
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
  std::vector<std::vector<float>> weights_;  // of each mesh
  std::vector<Affine> places_;               // of each node
};

}  // namespace

absl::StatusOr<std::unique_ptr<character::PointAnimation>> ReadPoints(
    absl::string_view bytes, const character::Limits& limits, const asset::ReadBeside& beside) {
  auto document = gltf::Document::Parse(bytes, limits, beside);
  if (!document.ok()) return document.status();
  auto out = std::make_unique<GltfPoints>();
  if (absl::Status s = out->Read(**document, limits); !s.ok()) return s;
  return out;
}

}  // namespace posewire::gltf
