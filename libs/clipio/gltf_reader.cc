#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/clipio/block_reader.h"
#include "libs/clipio/gltf.h"
#include "libs/clipio/gltf_animation.h"
#include "libs/gltf/document.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::clipio {
namespace {

// A file that says more of its arrays than it has bytes for may make us keep no more than this.
constexpr size_t kNumbersOfASmallFile = 1 << 16;
constexpr uint64_t kBytesOfASmallFile = 1 << 20, kMostGltfGrowth = 16;  // times its own size
constexpr float kStands_m = 1e-6f;

class GltfReader : public ClipReader {
 public:
  GltfReader(std::unique_ptr<ByteSource> source, const ReadOptions& options)
      : bytes_(std::move(source)), options_(options) {}

  std::string place_of_last() const override { return absl::StrCat("time ", place_, " s"); }
  int64_t size() const override { return bytes_.size(); }
  std::shared_ptr<const skel::Rig> skeleton() const override {
    return animation_ == nullptr ? nullptr : animation_->skeleton();
  }

  bool moves_nodes() const override { return true; }

 private:
  absl::StatusOr<std::optional<Message>> DoNext() override {
    Message message;
    if (!animation_) {
      if (absl::Status s = Open(); !s.ok()) {
        if (absl::StartsWith(s.message(), bytes_.name())) return s;
        return absl::Status(s.code(), absl::StrCat(bytes_.name(), ": ", s.message()));
      }
      end_of_last_ = bytes_.offset();
      auto& names =
          *message.mutable_animation_data_stream_header()->mutable_skel_animation_header();
      for (const std::string& joint : animation_->joints()) names.add_joints(joint);
      for (const std::string& shape : animation_->shapes()) names.add_blend_shapes(shape);
      return message;
    }
    if (next_ < times_.size()) {
      Fill(times_[next_++], message);
      return message;
    }
    if (ended_) return std::nullopt;
    ended_ = true;
    message.mutable_status()->set_code(nvidia_ace::status::v1::Status::SUCCESS);
    return message;
  }

  absl::Status Open() {
    absl::StatusOr<std::string> text = ReadWhole(bytes_, options_.max_json_bytes);
    if (!text.ok()) return text.status();
    text_ = *std::move(text);
    gltf::Limits limits;
    limits.numbers = std::min<uint64_t>(limits.numbers, kNumbersOfASmallFile + text_.size());
    // Buffers may lie beside it.
    if (options_.beside != nullptr && !absl::StartsWith(text_, "glTF")) {
      limits.numbers = gltf::Limits().numbers;
    } else {
      limits.bytes =
          std::min<uint64_t>(limits.bytes, kBytesOfASmallFile + kMostGltfGrowth * text_.size());
    }
    auto document = gltf::Document::Parse(text_, limits, options_.beside);
    if (!document.ok()) return document.status();
    auto animation = GltfAnimation::Read(**document, options_.prim);
    if (!animation.ok()) return animation.status();
    animation_ = std::make_unique<GltfAnimation>(*std::move(animation));
    text_.clear();
    std::set_union(animation_->pose_times().begin(), animation_->pose_times().end(),
                   animation_->weight_times().begin(), animation_->weight_times().end(),
                   std::back_inserter(times_));
    wanders_ = Wanders();
    return absl::OkStatus();
  }

  // Whether any joint leaves its place: else the first key says where all are.
  bool Wanders() {
    std::vector<GltfAnimation::Place> first;
    for (const double time : animation_->pose_times()) {
      const std::vector<GltfAnimation::Place>& pose = animation_->PoseAt(time);
      if (first.empty()) first = pose;
      for (size_t j = 0; j < pose.size(); ++j) {
        if (skel::Length(pose[j].translation - first[j].translation) > kStands_m) return true;
      }
    }
    return false;
  }

  void Fill(double time, Message& message) {
    place_ = time;
    auto& out = *message.mutable_animation_data()->mutable_skel_animation();
    const auto has = [time](const std::vector<double>& times) {
      return std::binary_search(times.begin(), times.end(), time);
    };
    if (has(animation_->weight_times())) {
      auto& key = *out.add_blend_shape_weights();
      key.set_time_code(time);
      for (const float weight : animation_->WeightsAt(time)) key.add_values(weight);
    }
    if (!has(animation_->pose_times())) return;
    const std::vector<GltfAnimation::Place>& pose = animation_->PoseAt(time);
    if (wanders_ || time == animation_->pose_times().front()) {
      auto& key = *out.add_translations();
      key.set_time_code(time);
      for (const auto& place : pose) {
        auto& t = *key.add_values();
        t.set_x(place.translation.x), t.set_y(place.translation.y), t.set_z(place.translation.z);
      }
    }
    auto& key = *out.add_rotations();
    key.set_time_code(time);
    for (const auto& place : pose) {
      auto& q = *key.add_values();
      q.set_real(place.rotation.w);
      q.set_i(place.rotation.x), q.set_j(place.rotation.y), q.set_k(place.rotation.z);
    }
  }

  BlockReader bytes_;
  const ReadOptions options_;
  std::string text_;
  std::unique_ptr<GltfAnimation> animation_;
  std::vector<double> times_;
  size_t next_ = 0;
  double place_ = 0;
  bool wanders_ = false, ended_ = false;
};

}  // namespace

std::unique_ptr<ClipReader> OpenGltf(std::unique_ptr<ByteSource> source,
                                     const ReadOptions& options) {
  return std::make_unique<GltfReader>(std::move(source), options);
}

}  // namespace posewire::clipio
