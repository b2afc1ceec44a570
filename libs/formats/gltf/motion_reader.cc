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
#include "libs/formats/gltf/node_scene.h"

namespace posewire::gltf {
namespace {

// Limits on memory for a file that announces larger arrays than it has bytes for.
constexpr size_t kNumbersOfASmallFile = 1 << 16;
constexpr uint64_t kBytesOfASmallFile = 1 << 20, kMostGltfGrowth = 16;  // times its own size
constexpr float kStands_m = 1e-6f;
constexpr double kSameTime_s = 1e-4;

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

absl::StatusOr<std::unique_ptr<Document>> Parse(absl::string_view text,
                                                const asset::ReadOptions& options) {
  Limits limits;
  limits.numbers = std::min<uint64_t>(limits.numbers, kNumbersOfASmallFile + text.size());
  // The buffers may be in other files.
  if (options.sidecar != nullptr && !absl::StartsWith(text, "glTF")) {
    limits.numbers = Limits().numbers;
  } else {
    limits.bytes =
        std::min<uint64_t>(limits.bytes, kBytesOfASmallFile + kMostGltfGrowth * text.size());
  }
  return Document::Parse(text, limits, options.sidecar);
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
    auto document = Parse(text_, options_);
    if (!document.ok()) return document.status();
    auto animation = options_.character ? ReadCharacter(**document)
                                        : GltfAnimation::Read(**document, options_.prim);
    if (!animation.ok()) return animation.status();
    animation_ = std::make_unique<GltfAnimation>(*std::move(animation));
    text_.clear();
    std::set_union(animation_->pose_times().begin(), animation_->pose_times().end(),
                   animation_->weight_times().begin(), animation_->weight_times().end(),
                   std::back_inserter(times_));
    if (scene_ != nullptr) AddTimesOfScene();
    wanders_ = Wanders();
    return absl::OkStatus();
  }

  absl::StatusOr<GltfAnimation> ReadCharacter(Document& document) {
    absl::StatusOr<NodeScene> scene = FindScene(document, options_.prim, options_.stopped);
    if (!scene.ok()) return scene.status();
    const size_t index = *options_.character;
    if (index >= scene->characters.size()) {
      return absl::InvalidArgumentError(absl::StrCat("the file has ", scene->characters.size(),
                                                     " characters, and no character ", index));
    }
    scene_ = std::make_unique<NodeScene>(*std::move(scene));
    return GltfAnimation::ReadCharacter(document, *scene_, index);
  }

  bool is_lead() const { return scene_ != nullptr && *options_.character == 0; }

  // All characters begin at 0, in their first poses. The lead also has the times of props and
  // camera.
  void AddTimesOfScene() {
    // Times in the file are 32-bit, those of its keys exact.
    const double last_s = times_.empty() ? 0 : times_.back();
    if (last_s + kSameTime_s < scene_->scene.last_s) times_.push_back(scene_->scene.last_s);
    times_.push_back(0);
    if (is_lead()) {
      prop_times_ = asset::PropTimes(scene_->scene.props, 0, scene_->scene.last_s);
      times_.insert(times_.end(), prop_times_.begin(), prop_times_.end());
      times_.insert(times_.end(), scene_->camera_times_s.begin(), scene_->camera_times_s.end());
    }
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  }

  void FillScene(double time, wire::DataChunk& keys) {
    const asset::GroundPlace& from = scene_->scene.characters[0].place;
    if (std::binary_search(prop_times_.begin(), prop_times_.end(), time)) {
      keys.metadata.push_back(asset::PropsAt(scene_->scene.props, from, time));
    }
    const std::vector<double>& times = scene_->camera_times_s;
    const auto it = std::lower_bound(times.begin(), times.end(), time);
    if (it == times.end() || *it != time) return;
    const asset::RigidPlace seen =
        asset::Seen(from, scene_->camera_places[static_cast<size_t>(it - times.begin())]);
    for (wire::KeyBlock* track :
         {&keys.camera[wire::kCameraPosition], &keys.camera[wire::kCameraRotation]}) {
      track->time_codes_s.push_back(time);
    }
    asset::Put(seen.at, keys.camera[wire::kCameraPosition]);
    asset::Put(seen.turn, keys.camera[wire::kCameraRotation]);
    if (!scene_->focal_length_mm || it != times.begin()) return;
    keys.camera[wire::kFocalLength].time_codes_s.push_back(time);
    keys.camera[wire::kFocalLength].values.push_back(*scene_->focal_length_mm);
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
    if (is_lead()) FillScene(time, keys);
    const auto has = [&](const std::vector<double>& times) {
      return std::binary_search(times.begin(), times.end(), time) ||
             (scene_ != nullptr && !times.empty());
    };
    if (has(animation_->weight_times())) asset::PutWeights(time, animation_->WeightsAt(time), keys);
    if (!has(animation_->pose_times())) return;
    const std::vector<GltfAnimation::Place>& pose = animation_->PoseAt(time);
    if (wanders_ || time == animation_->pose_times().front() || time == times_.front()) {
      asset::PutPlaces(time, pose, keys);
    }
    asset::PutTurns(time, pose, keys);
  }

  std::string text_;
  std::unique_ptr<GltfAnimation> animation_;
  std::unique_ptr<NodeScene> scene_;  // null: the file is one clip
  std::vector<double> prop_times_;    // of the lead of a scene
  std::vector<double> times_;
  size_t next_ = 0;
  double place_ = 0;
  bool wanders_ = false;
};

}  // namespace

absl::StatusOr<asset::Scene> ReadGltfScene(std::unique_ptr<files::ByteSource> source,
                                           const asset::ReadOptions& options) {
  asset::BlockReader bytes(std::move(source));
  const absl::StatusOr<std::string> text = ReadWhole(bytes, options.max_json_bytes);
  if (!text.ok()) return text.status();
  const auto document = Parse(*text, options);
  if (!document.ok()) return document.status();
  absl::StatusOr<NodeScene> scene = FindScene(**document, options.prim, options.stopped);
  if (!scene.ok()) return scene.status();
  return std::move(scene->scene);
}

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
