#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/asset/whole_file_reader.h"
#include "libs/formats/gltf/animation.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/gltf/gltf.h"

namespace posewire::gltf {
namespace {

// Limits on memory for a file that announces larger arrays than it has bytes for.
constexpr size_t kNumbersOfASmallFile = 1 << 16;
constexpr uint64_t kBytesOfASmallFile = 1 << 20, kMostGltfGrowth = 16;  // times its own size
constexpr float kStands_m = 1e-6f;

std::vector<std::string> TargetNames(Document& document) {
  std::vector<std::string> out;
  const Json meshes = document.root()["meshes"];
  for (size_t m = 0; m < meshes.size(); ++m) {
    const Json mesh = meshes.At(m);
    for (const Json& of : {mesh, mesh["primitives"].At(0)}) {
      const Json extras = of["extras"];
      const Json names = extras.IsObject() ? extras["targetNames"] : Json();
      if (names.IsObject()) continue;
      for (size_t n = 0; n < names.size(); ++n) out.push_back(names.At(n).Text());
    }
  }
  return out;
}

class GltfReader : public asset::WholeFileReader {
 public:
  using WholeFileReader::WholeFileReader;

  absl::StatusOr<asset::MotionNames> Start() override {
    if (absl::Status s = Open(); !s.ok()) return s;
    return asset::MotionNames{animation_->joints(), animation_->shapes()};
  }

  absl::StatusOr<bool> Next(wire::DataChunk* keys) override {
    if (next_ == times_.size()) return false;
    Fill(times_[next_++], *keys);
    return true;
  }

  std::string place() const override { return absl::StrCat("time ", place_, " s"); }
  std::shared_ptr<const skel::Rig> skeleton() const override {
    return animation_ == nullptr ? nullptr : animation_->skeleton();
  }
  bool moves_nodes() const override { return true; }

 private:
  absl::Status Open() {
    absl::StatusOr<std::string> text = ReadWhole(bytes_, options_.max_json_bytes);
    if (!text.ok()) return text.status();
    text_ = *std::move(text);
    Limits limits;
    limits.numbers = std::min<uint64_t>(limits.numbers, kNumbersOfASmallFile + text_.size());
    // The buffers may be in other files.
    if (options_.sidecar != nullptr && !absl::StartsWith(text_, "glTF")) {
      limits.numbers = Limits().numbers;
    } else {
      limits.bytes =
          std::min<uint64_t>(limits.bytes, kBytesOfASmallFile + kMostGltfGrowth * text_.size());
    }
    auto document = Document::Parse(text_, limits, options_.sidecar);
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

  // Returns true if any joint changes its position. Otherwise the first key has all positions.
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

  void Fill(double time, wire::DataChunk& keys) {
    place_ = time;
    const auto has = [time](const std::vector<double>& times) {
      return std::binary_search(times.begin(), times.end(), time);
    };
    if (has(animation_->weight_times())) asset::PutWeights(time, animation_->WeightsAt(time), keys);
    if (!has(animation_->pose_times())) return;
    const std::vector<GltfAnimation::Place>& pose = animation_->PoseAt(time);
    if (wanders_ || time == animation_->pose_times().front()) asset::PutPlaces(time, pose, keys);
    asset::PutTurns(time, pose, keys);
  }

  std::string text_;
  std::unique_ptr<GltfAnimation> animation_;
  std::vector<double> times_;
  size_t next_ = 0;
  double place_ = 0;
  bool wanders_ = false;
};

}  // namespace

absl::StatusOr<asset::SkeletonAtRest> ReadGltfSkeleton(absl::string_view bytes) {
  auto document = Document::Parse(bytes, {}, nullptr);
  if (!document.ok()) return document.status();
  auto rig = GltfAnimation::Skeleton(**document);
  if (!rig.ok()) return rig.status();
  return asset::SkeletonAtRest{*std::move(rig), TargetNames(**document)};
}

std::unique_ptr<asset::MotionReader> OpenGltf(std::unique_ptr<files::ByteSource> source,
                                              const asset::ReadOptions& options) {
  return std::make_unique<GltfReader>(std::move(source), options);
}

}  // namespace posewire::gltf
