#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "libs/clipio/block_reader.h"
#include "libs/clipio/retarget.h"
#include "libs/clipio/usda.h"
#include "libs/usd/compose.h"
#include "libs/usd/skeleton.h"
#include "libs/usd/stage.h"
#include "libs/usd/usdcat.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::clipio {
namespace {

constexpr float kScales = 1e-6f;

// The attributes of an animation, in the order of PoseTrack.
constexpr absl::string_view kAttributes[] = {"blendShapeWeights", "translations", "rotations",
                                             "scales"};

// True for a path itself and all that is below it.
bool IsIn(absl::string_view path, absl::string_view above) {
  return absl::ConsumePrefix(&path, above) && (path.empty() || path[0] == '/');
}

class UsdaReader : public ClipReader {
 public:
  UsdaReader(std::unique_ptr<ByteSource> source, const ReadOptions& options)
      : bytes_(std::move(source)), options_(options) {}

  std::string place_of_last() const override { return absl::StrCat("time code ", place_); }
  int64_t size() const override { return bytes_.size(); }
  std::shared_ptr<const skel::Rig> skeleton() const override {
    if (motion_ == nullptr || !motion_->moves_joints()) return nullptr;
    if (skeleton_.rest.size() != skeleton_.names.size()) return nullptr;
    skel::RigParts parts;
    for (size_t j = 0; j < skeleton_.names.size(); ++j) {
      parts.joint_paths.push_back(skeleton_.names[j]);
      parts.rest_translations.push_back(skeleton_.rest[j].translation);
      parts.rest_rotations.push_back(skeleton_.rest[j].rotation);
    }
    return RestRig(std::move(parts));
  }

 private:
  absl::StatusOr<std::optional<Message>> DoNext() override {
    Message message;
    if (stage_ == nullptr) {
      const absl::Status s = Open();
      if (!s.ok()) return Named(s);
      end_of_last_ = bytes_.offset();
      auto& names =
          *message.mutable_animation_data_stream_header()->mutable_skel_animation_header();
      if (motion_->moves_joints()) {
        for (const std::string& name : skeleton_.names) names.add_joints(name);
      }
      for (const std::string& shape : motion_->shapes()) names.add_blend_shapes(shape);
      return message;
    }
    if (next_ != keys_.end()) {
      Fill(next_->first, next_->second, message);
      ++next_;
      return message;
    }
    if (ended_) return std::nullopt;
    ended_ = true;
    message.mutable_status()->set_code(nvidia_ace::status::v1::Status::SUCCESS);
    return message;
  }

  absl::Status Named(const absl::Status& s) const {
    if (absl::StartsWith(std::string(s.message()), bytes_.name())) return s;
    return absl::Status(s.code(), absl::StrCat(bytes_.name(), ": ", s.message()));
  }

  absl::Status Open() {
    absl::StatusOr<std::string> text = ReadWhole(bytes_, options_.max_json_bytes);
    // Who may read what lies beside a file, has it under that name.
    if (text.ok() && usd::IsBinaryStage(*text) && options_.beside != nullptr) {
      text = usd::ReadBinaryStage(bytes_.name(), options_.max_json_bytes);
    }
    if (!text.ok()) return text.status();
    absl::StatusOr<usd::Layer> layer =
        usd::Compose(*text, options_.beside, {.bytes = options_.max_json_bytes});
    if (!layer.ok()) return layer.status();
    stage_ = std::make_unique<usd::Stage>(*std::move(layer));
    if (absl::Status s = Choose(); !s.ok()) return s;
    motion_ = std::make_unique<usd::SkeletonMotion>(*stage_, skeleton_);
    FindKeys();
    return absl::OkStatus();
  }

  // What moves, and by what.
  absl::Status Choose() {
    absl::StatusOr<std::vector<usd::Skeleton>> all = usd::ReadSkeletons(*stage_);
    if (!all.ok()) return all.status();
    const usd::Value* const root = usd::FindMetadata(stage_->layer().metadata, "defaultPrim");
    const std::string preferred =
        root == nullptr || root->texts.empty() ? "" : absl::StrCat("/", root->texts[0]);
    const std::string& asked = options_.prim;
    if (!asked.empty() && stage_->Find(asked) < 0) {
      return absl::InvalidArgumentError(absl::StrCat("there is no prim ", asked));
    }
    usd::Skeleton* chosen = nullptr;
    for (usd::Skeleton& skeleton : *all) {
      if (skeleton.animation < 0) continue;
      const std::string& path = stage_->path(skeleton.prim);
      if (!asked.empty()) {
        if (!IsIn(path, asked) && stage_->path(skeleton.animation) != asked) continue;
        chosen = &skeleton;
        break;
      }
      const bool better = !preferred.empty() && IsIn(path, preferred);
      if (chosen == nullptr || (better && !IsIn(stage_->path(chosen->prim), preferred))) {
        chosen = &skeleton;
      }
    }
    if (chosen != nullptr) {
      skeleton_ = std::move(*chosen);
      return absl::OkStatus();
    }
    for (size_t i = 0; i < stage_->nodes().size(); ++i) {
      const usd::Stage::Node& node = stage_->nodes()[i];
      if (!node.defined || node.prim->type != "SkelAnimation" ||
          (!asked.empty() && !IsIn(node.path, asked))) {
        continue;
      }
      absl::StatusOr<usd::Skeleton> alone = usd::SkeletonOfAnimation(*stage_, static_cast<int>(i));
      if (!alone.ok()) return alone.status();
      skeleton_ = *std::move(alone);
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        asked.empty() ? "the stage has no SkelAnimation, and so no clip"
                      : absl::StrCat("no SkelAnimation is at ", asked, " or moves what is below"));
  }

  void FindKeys() {
    std::vector<double> times[wire::kPoseTracks];
    double first = 0;
    bool any = false;
    for (size_t track = 0; track < wire::kPoseTracks; ++track) {
      if (track == wire::kWeights ? motion_->shapes().empty() : !motion_->moves_joints()) continue;
      times[track] = motion_->Times(kAttributes[track]);
      if (track == wire::kScales && !HasScales(times[track])) times[track].clear();
      for (const double time : times[track]) {
        if (time == usd::kEarliest) continue;
        first = any ? std::min(first, time) : time;
        any = true;
      }
    }
    shift_ = first < 0 ? -first : 0;
    for (size_t track = 0; track < wire::kPoseTracks; ++track) {
      for (const double time : times[track]) {
        keys_[time == usd::kEarliest ? first : time] |= 1u << track;
      }
    }
    next_ = keys_.begin();
  }

  bool HasScales(const std::vector<double>& times) {
    return std::any_of(times.begin(), times.end(), [&](double time) {
      const std::vector<usd::JointPlace>& pose = motion_->PoseAt(time);
      return std::any_of(pose.begin(), pose.end(), [](const usd::JointPlace& place) {
        const skel::Vec3 s = place.scale;
        return std::max({std::abs(s.x - 1), std::abs(s.y - 1), std::abs(s.z - 1)}) > kScales;
      });
    });
  }

  void Fill(double time, unsigned tracks, Message& message) {
    place_ = time;
    const double code_s = (time + shift_) / stage_->time_codes_per_second();
    auto& out = *message.mutable_animation_data()->mutable_skel_animation();
    if (tracks & 1u << wire::kWeights) {
      auto& key = *out.add_blend_shape_weights();
      key.set_time_code(code_s);
      std::vector<double> weights = motion_->WeightsAt(time);
      weights.resize(motion_->shapes().size());
      for (const double weight : weights) key.add_values(static_cast<float>(weight));
    }
    if (tracks == 1u << wire::kWeights) return;
    const std::vector<usd::JointPlace>& pose = motion_->PoseAt(time);
    const auto vector = [](const skel::Vec3& from, auto* to) {
      to->set_x(from.x), to->set_y(from.y), to->set_z(from.z);
    };
    if (tracks & 1u << wire::kTranslations) {
      auto& key = *out.add_translations();
      key.set_time_code(code_s);
      for (const usd::JointPlace& place : pose) vector(place.translation, key.add_values());
    }
    if (tracks & 1u << wire::kRotations) {
      auto& key = *out.add_rotations();
      key.set_time_code(code_s);
      for (const usd::JointPlace& place : pose) {
        auto& q = *key.add_values();
        q.set_real(place.rotation.w);
        q.set_i(place.rotation.x), q.set_j(place.rotation.y), q.set_k(place.rotation.z);
      }
    }
    if (tracks & 1u << wire::kScales) {
      auto& key = *out.add_scales();
      key.set_time_code(code_s);
      for (const usd::JointPlace& place : pose) vector(place.scale, key.add_values());
    }
  }

  BlockReader bytes_;
  const ReadOptions options_;
  std::unique_ptr<usd::Stage> stage_;
  usd::Skeleton skeleton_;
  std::unique_ptr<usd::SkeletonMotion> motion_;
  std::map<double, unsigned> keys_;  // which tracks have one at a time
  std::map<double, unsigned>::const_iterator next_;
  double shift_ = 0, place_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ClipReader> OpenUsda(std::unique_ptr<ByteSource> source,
                                     const ReadOptions& options) {
  return std::make_unique<UsdaReader>(std::move(source), options);
}

}  // namespace posewire::clipio
