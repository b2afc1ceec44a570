#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "libs/asset/whole_file_reader.h"
#include "libs/formats/usd/camera.h"
#include "libs/formats/usd/compose.h"
#include "libs/formats/usd/motion_note.h"
#include "libs/formats/usd/skeleton.h"
#include "libs/formats/usd/sound.h"
#include "libs/formats/usd/stage.h"
#include "libs/formats/usd/usda.h"
#include "libs/formats/usd/usdcat.h"
#include "libs/skel/body.h"

namespace posewire::usd {
namespace {

constexpr float kScales = 1e-6f;

// Bits for the tracks that have a key: one for each PoseTrack, and above them those of the camera.
constexpr unsigned kPlace = 1u << wire::kPoseTracks;
constexpr unsigned kFocalLength = kPlace << 1;
constexpr unsigned kFocusDistance = kPlace << 2;

// The attributes of an animation, in the order of PoseTrack.
constexpr absl::string_view kAttributes[] = {"blendShapeWeights", "translations", "rotations",
                                             "scales"};

// Returns true for `above` itself and everything below it.
bool IsIn(absl::string_view path, absl::string_view above) {
  return absl::ConsumePrefix(&path, above) && (path.empty() || path[0] == '/');
}

bool IsFinite(const JointPlace& place) {
  const skel::Vec3 t = place.translation;
  const skel::Quat q = place.rotation;
  return std::isfinite(t.x + t.y + t.z + q.w + q.x + q.y + q.z);
}

class UsdaReader : public asset::WholeFileReader {
 public:
  UsdaReader(std::unique_ptr<files::ByteSource> source, const asset::ReadOptions& options)
      : WholeFileReader(std::move(source), options) {
    opened_ = Open();
    if (!opened_.ok()) return;
    std::vector<std::string>& said = skeleton_.warnings;
    if (std::string note = NoteOfMotion(*stage_, skeleton_); !note.empty()) {
      said.push_back(std::move(note));
    }
    for (size_t j = 0; j < skeleton_.rest.size(); ++j) {
      if (IsFinite(skeleton_.rest[j])) continue;
      said.push_back(absl::StrCat("restTransforms[", j,
                                  "] is not finite, so it is unknown how the ",
                                  "skeleton rests, and the clip is not carried over to a rig"));
      break;
    }
    if (!said.empty()) Doubt(absl::StrJoin(said, "; "));
  }

  absl::StatusOr<asset::MotionNames> Start() override {
    if (!opened_.ok()) return opened_;
    asset::MotionNames names;
    if (motion_->moves_joints()) names.joints = skeleton_.names;
    names.shapes = motion_->shapes();
    return names;
  }

  absl::StatusOr<bool> Next(wire::DataChunk* keys) override {
    if (next_ == keys_.end()) return false;
    if (absl::Status s = Fill(next_->first, next_->second, *keys); !s.ok()) return s;
    ++next_;
    return true;
  }

  std::string place() const override { return absl::StrCat("time code ", place_); }
  std::shared_ptr<const skel::Rig> skeleton() const override {
    if (motion_ == nullptr || !motion_->moves_joints()) return nullptr;
    if (skeleton_.rest.size() != skeleton_.names.size()) return nullptr;
    skel::RigParts parts;
    for (size_t j = 0; j < skeleton_.names.size(); ++j) {
      parts.joint_paths.push_back(skeleton_.names[j]);
      parts.rest_translations.push_back(skeleton_.rest[j].translation);
      parts.rest_rotations.push_back(skeleton_.rest[j].rotation);
    }
    return skel::RestRig(std::move(parts));
  }

  absl::StatusOr<std::optional<asset::NamedVoice>> Voice() override {
    const std::optional<Sound> sound = FindSound(*stage_);
    if (!sound || options_.sidecar == nullptr) return std::optional<asset::NamedVoice>();
    absl::StatusOr<std::string> bytes = options_.sidecar(sound->file);
    if (!bytes.ok()) return bytes.status();
    asset::NamedVoice out;
    out.name = sound->file;
    out.bytes = *std::move(bytes);
    out.start_s = Seconds(sound->start_code);
    out.skipped_s = sound->skipped_s;
    if (sound->end_code) out.end_s = Seconds(*sound->end_code);
    return out;
  }

 private:
  absl::Status Open() {
    absl::StatusOr<std::string> text = ReadWhole(bytes_, options_.max_json_bytes);
    // If files next to this one may be read, it can be opened by its name too.
    if (text.ok() && IsBinaryStage(*text) && options_.sidecar != nullptr) {
      if (bytes_.size() == 0) {
        return absl::InvalidArgumentError("a binary stage is read from a file, not from a pipe");
      }
      text = ReadBinaryStage(bytes_.name(), options_.max_json_bytes, options_.stopped);
    }
    if (!text.ok()) return text.status();
    absl::StatusOr<Layer> layer =
        Compose(*text, options_.sidecar, {.bytes = options_.max_json_bytes});
    if (!layer.ok()) return layer.status();
    stage_ = std::make_unique<Stage>(*std::move(layer));
    if (absl::Status s = Choose(); !s.ok()) return s;
    motion_ = std::make_unique<SkeletonMotion>(*stage_, skeleton_);
    FindKeys();
    return absl::OkStatus();
  }

  // Chooses the skeleton and its animation.
  absl::Status Choose() {
    absl::StatusOr<std::vector<Skeleton>> all = ReadSkeletons(*stage_);
    if (!all.ok()) return all.status();
    const Value* const root = FindMetadata(stage_->layer().metadata, "defaultPrim");
    const std::string preferred =
        root == nullptr || root->texts.empty() ? "" : absl::StrCat("/", root->texts[0]);
    const std::string& asked = options_.prim;
    if (!asked.empty() && stage_->Find(asked) < 0) {
      return absl::InvalidArgumentError(absl::StrCat("there is no prim ", asked));
    }
    Skeleton* chosen = nullptr;
    for (Skeleton& skeleton : *all) {
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
      const Stage::Node& node = stage_->nodes()[i];
      if (!node.defined || node.prim->type != "SkelAnimation" ||
          (!asked.empty() && !IsIn(node.path, asked))) {
        continue;
      }
      absl::StatusOr<Skeleton> alone = SkeletonOfAnimation(*stage_, static_cast<int>(i));
      if (!alone.ok()) return alone.status();
      skeleton_ = *std::move(alone);
      for (Skeleton& other : *all) {
        for (std::string& warning : other.warnings) {
          skeleton_.warnings.push_back(std::move(warning));
        }
      }
      if (!all->empty() && asked.empty()) {
        skeleton_.warnings.push_back(
            absl::StrCat("no skel:animationSource leads from a Skeleton to ", node.path,
                         ", which is played on its own joints"));
      }
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
        if (time == kEarliest) continue;
        first = any ? std::min(first, time) : time;
        any = true;
      }
    }
    FindCamera();
    shift_ = first < 0 ? -first : 0;
    for (size_t track = 0; track < wire::kPoseTracks; ++track) {
      for (const double time : times[track]) {
        keys_[time == kEarliest ? first : time] |= 1u << track;
      }
    }
    if (camera_ != nullptr) {
      const std::vector<double> of_camera[] = {
          camera_->TimesOfPlace(), camera_->TimesOfFocalLength(), camera_->TimesOfFocusDistance()};
      for (size_t i = 0; i < std::size(of_camera); ++i) {
        // Earlier keys of the camera are moved to the beginning of the clip.
        const double from = std::min(first, 0.0);
        for (const double time : of_camera[i]) {
          keys_[time == kEarliest ? first : std::max(time, from)] |= kPlace << i;
        }
      }
    }
    next_ = keys_.begin();
  }

  void FindCamera() {
    const int camera = usd::FindCamera(*stage_);
    if (camera >= 0) camera_ = std::make_unique<CameraMotion>(*stage_, camera);
  }

  bool HasScales(const std::vector<double>& times) {
    return std::any_of(times.begin(), times.end(), [&](double time) {
      const std::vector<JointPlace>& pose = motion_->PoseAt(time);
      return std::any_of(pose.begin(), pose.end(), [](const JointPlace& place) {
        const skel::Vec3 s = place.scale;
        return std::max({std::abs(s.x - 1), std::abs(s.y - 1), std::abs(s.z - 1)}) > kScales;
      });
    });
  }

  // Returns INVALID_ARGUMENT for a value that is not finite.
  absl::Status Fill(double time, unsigned tracks, wire::DataChunk& keys) {
    place_ = time;
    const double time_code_s = Seconds(time);
    const auto wrong = [&](wire::PoseTrack track, size_t index) {
      return absl::InvalidArgumentError(absl::StrCat("time code ", time, ": ", kAttributes[track],
                                                     "[", index,
                                                     "] is not finite; numbers are right"));
    };
    if (tracks >= kPlace) FillCamera(time, time_code_s, tracks, keys);
    if (tracks % kPlace == 0) return absl::OkStatus();
    if (tracks & 1u << wire::kWeights) {
      wire::KeyBlock& key = keys.pose[wire::kWeights];
      key.time_codes_s.push_back(time_code_s);
      std::vector<double> weights = motion_->WeightsAt(time);
      weights.resize(motion_->shapes().size());
      for (size_t i = 0; i < weights.size(); ++i) {
        const auto weight = static_cast<float>(weights[i]);
        if (!std::isfinite(weight)) return wrong(wire::kWeights, i);
        key.values.push_back(weight);
      }
    }
    if (tracks % kPlace == 1u << wire::kWeights) return absl::OkStatus();
    const std::vector<JointPlace>& pose = motion_->PoseAt(time);
    for (size_t j = 0; j < pose.size(); ++j) {
      const skel::Vec3 t = pose[j].translation, s = pose[j].scale;
      const skel::Quat q = pose[j].rotation;
      if (!std::isfinite(t.x + t.y + t.z)) return wrong(wire::kTranslations, j);
      if (!std::isfinite(q.w + q.x + q.y + q.z)) return wrong(wire::kRotations, j);
      if (!std::isfinite(s.x + s.y + s.z)) return wrong(wire::kScales, j);
    }
    if (tracks & 1u << wire::kTranslations) asset::PutPlaces(time_code_s, pose, keys);
    if (tracks & 1u << wire::kRotations) asset::PutTurns(time_code_s, pose, keys);
    if (tracks & 1u << wire::kScales) {
      wire::KeyBlock& key = keys.pose[wire::kScales];
      key.time_codes_s.push_back(time_code_s);
      for (const JointPlace& place : pose) asset::Put(place.scale, key);
    }
    return absl::OkStatus();
  }

  double Seconds(double time) const { return (time + shift_) / stage_->time_codes_per_second(); }

  void FillCamera(double time, double time_code_s, unsigned tracks, wire::DataChunk& keys) const {
    const auto key = [&](wire::CameraTrack track) -> wire::KeyBlock& {
      keys.camera[track].time_codes_s.push_back(time_code_s);
      return keys.camera[track];
    };
    if (tracks & kPlace) {
      const skel::Trs place = camera_->PlaceAt(time);
      asset::Put(place.translation, key(wire::kCameraPosition));
      asset::Put(place.rotation, key(wire::kCameraRotation));
    }
    const auto number = [&](std::optional<double> value, wire::CameraTrack track) {
      if (value) key(track).values.push_back(static_cast<float>(*value));
    };
    if (tracks & kFocalLength) number(camera_->FocalLengthAt(time), wire::kFocalLength);
    if (tracks & kFocusDistance) number(camera_->FocusDistanceAt(time), wire::kFocusDistance);
  }

  std::unique_ptr<Stage> stage_;
  Skeleton skeleton_;
  std::unique_ptr<SkeletonMotion> motion_;
  std::unique_ptr<CameraMotion> camera_;  // null: the stage has none
  std::map<double, unsigned> keys_;       // by time, which tracks have a key
  std::map<double, unsigned>::const_iterator next_;
  double shift_ = 0, place_ = 0;
  absl::Status opened_;
};

}  // namespace

std::unique_ptr<asset::MotionReader> OpenUsda(std::unique_ptr<files::ByteSource> source,
                                              const asset::ReadOptions& options) {
  return std::make_unique<UsdaReader>(std::move(source), options);
}

}  // namespace posewire::usd
