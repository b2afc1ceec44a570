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
#include "libs/formats/usd/stage_scene.h"
#include "libs/formats/usd/usda.h"
#include "libs/formats/usd/usdcat.h"
#include "libs/skel/body.h"

namespace posewire::usd {
namespace {

constexpr float kScales = 1e-6f;
constexpr double kSameCode = 1e-4;  // time codes

// Bits for the tracks that have a key: one for each PoseTrack, and above them those of the camera.
constexpr unsigned kPlace = 1u << wire::kPoseTracks;
constexpr unsigned kFocalLength = kPlace << 1;
constexpr unsigned kFocusDistance = kPlace << 2;
constexpr unsigned kProps = kPlace << 3;

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

absl::StatusOr<std::unique_ptr<Stage>> ReadStage(asset::BlockReader& bytes,
                                                 const asset::ReadOptions& options) {
  absl::StatusOr<std::string> text = ReadWhole(bytes, options.max_json_bytes);
  // If files next to this one may be read, it can be opened by its name too.
  if (text.ok() && IsBinaryStage(*text) && options.sidecar != nullptr) {
    if (bytes.size() == 0) {
      return absl::InvalidArgumentError("a binary stage is read from a file, not from a pipe");
    }
    text = ReadBinaryStage(bytes.name(), options.max_json_bytes, options.stopped);
  }
  if (!text.ok()) return text.status();
  absl::StatusOr<Layer> layer = Compose(*text, options.sidecar, {.bytes = options.max_json_bytes});
  if (!layer.ok()) return layer.status();
  return std::make_unique<Stage>(*std::move(layer));
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
    const std::optional<Sound> sound = SoundOfClip();
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
    auto stage = ReadStage(bytes_, options_);
    if (!stage.ok()) return stage.status();
    stage_ = *std::move(stage);
    if (absl::Status s = options_.character ? TakeCharacter() : Choose(); !s.ok()) return s;
    motion_ = std::make_unique<SkeletonMotion>(*stage_, skeleton_);
    FindKeys();
    return absl::OkStatus();
  }

  // Chooses a character of the scene. Props, camera and the common voice are those of the lead.
  absl::Status TakeCharacter() {
    absl::StatusOr<StageScene> scene = FindScene(*stage_, rules());
    if (!scene.ok()) return scene.status();
    scene_ = std::make_unique<StageScene>(*std::move(scene));
    const size_t index = *options_.character;
    if (index >= scene_->characters.size()) {
      return absl::InvalidArgumentError(absl::StrCat("the stage has ", scene_->characters.size(),
                                                     " characters, and no character ", index));
    }
    place_on_ground_ = scene_->scene.characters[index].place;
    skeleton_ = scene_->characters[index].skeleton;
    PutInto(asset::Into(place_on_ground_), skeleton_);
    return absl::OkStatus();
  }

  BindingRules rules() const { return {options_.outside_skel_root}; }
  bool is_lead() const { return scene_ == nullptr || *options_.character == 0; }

  std::optional<Sound> SoundOfClip() const {
    if (scene_ == nullptr) return FindSound(*stage_);
    std::optional<Sound> own =
        FindSoundBelow(*stage_, scene_->characters[*options_.character].root);
    if (own || !is_lead()) return own;
    std::vector<int> roots;
    for (const StageScene::Character& character : scene_->characters) {
      roots.push_back(character.root);
    }
    return FindSoundOutside(*stage_, roots);
  }

  // How well an instance fits what is asked for; 0: not at all.
  int FitOf(const Skeleton& skeleton, absl::string_view asked) const {
    if (skeleton.animation < 0) return 0;
    const auto bound = [&](auto fits) {
      return std::any_of(skeleton.sites.begin(), skeleton.sites.end(),
                         [&](int site) { return fits(stage_->path(site)); });
    };
    if (bound([&](absl::string_view path) { return path == asked; })) return 3;
    if (stage_->path(skeleton.animation) == asked) return 2;
    if (IsIn(stage_->path(skeleton.prim), asked)) return 1;
    return bound([&](absl::string_view path) { return IsIn(path, asked); }) ? 1 : 0;
  }

  // Chooses the skeleton and its animation.
  absl::Status Choose() {
    absl::StatusOr<SkeletonInstances> found = ReadSkeletons(*stage_, rules());
    if (!found.ok()) return found.status();
    std::vector<Skeleton>* const all = &found->all;
    const Value* const root = FindMetadata(stage_->layer().metadata, "defaultPrim");
    const std::string preferred =
        root == nullptr || root->texts.empty() ? "" : absl::StrCat("/", root->texts[0]);
    const std::string& asked = options_.prim;
    if (!asked.empty() && stage_->Find(asked) < 0) {
      return absl::InvalidArgumentError(absl::StrCat("there is no prim ", asked));
    }
    Skeleton* chosen = nullptr;
    int fit = 0;
    for (Skeleton& skeleton : *all) {
      const int own = skeleton.animation < 0 ? 0
                      : !asked.empty()       ? FitOf(skeleton, asked)
                      : !preferred.empty() && IsIn(stage_->path(skeleton.prim), preferred) ? 2
                                                                                           : 1;
      if (own > fit) fit = own, chosen = &skeleton;
    }
    if (chosen != nullptr) {
      skeleton_ = std::move(*chosen);
      if (!found->ignored.empty()) skeleton_.warnings.push_back(found->ignored);
      return absl::OkStatus();
    }
    if (asked.empty() && !found->ignored.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("nothing moves: ", found->ignored));
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
      if (!found->ignored.empty()) skeleton_.warnings.push_back(found->ignored);
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
                      : absl::StrCat("no SkelAnimation is at ", asked, " or moves what is below",
                                     found->ignored.empty() ? "" : "; ", found->ignored));
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
    if (is_lead()) FindCamera();
    if (scene_ != nullptr) {
      // All characters begin together, at rest until their first keys.
      first = scene_->first;
      const double last = scene_->scene.last_s * stage_->time_codes_per_second() - scene_->shift;
      for (std::vector<double>& own : times) {
        if (own.empty()) continue;
        own.push_back(first);
        own.push_back(std::max(last, first));
      }
    }
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
    if (scene_ != nullptr && is_lead()) AddPropKeys(times, first);
    next_ = keys_.begin();
  }

  // Metadata needs a time code, so it comes with a key of the pose.
  void AddPropKeys(const std::vector<double> (&times)[wire::kPoseTracks], double first) {
    unsigned tracks = kProps;
    for (size_t track = 0; track < wire::kPoseTracks; ++track) {
      if (!times[track].empty() && track != wire::kScales) tracks |= 1u << track;
    }
    const double last = keys_.empty() ? first : keys_.rbegin()->first;
    for (const double time_s :
         asset::PropTimes(scene_->scene.props, Seconds(first), Seconds(last))) {
      // The nearest key of the clip, if both are of one frame.
      const double time = time_s * stage_->time_codes_per_second() - shift_;
      const auto next = keys_.lower_bound(time - kSameCode);
      if (next != keys_.end() && next->first < time + kSameCode) {
        next->second |= tracks;
      } else {
        keys_[time] |= tracks;
      }
    }
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
    if (tracks & kProps) {
      keys.metadata.push_back(
          asset::PropsAt(scene_->scene.props, place_on_ground_, time_code_s + 1e-6));
    }
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
      const asset::RigidPlace seen =
          scene_ == nullptr ? asset::RigidPlace{place.translation, place.rotation}
                            : asset::Seen(place_on_ground_, {place.translation, place.rotation});
      asset::Put(seen.at, key(wire::kCameraPosition));
      asset::Put(seen.turn, key(wire::kCameraRotation));
    }
    const auto number = [&](std::optional<double> value, wire::CameraTrack track) {
      if (value) key(track).values.push_back(static_cast<float>(*value));
    };
    if (tracks & kFocalLength) number(camera_->FocalLengthAt(time), wire::kFocalLength);
    if (tracks & kFocusDistance) number(camera_->FocusDistanceAt(time), wire::kFocusDistance);
  }

  std::unique_ptr<Stage> stage_;
  std::unique_ptr<StageScene> scene_;  // null: a clip of one skeleton
  asset::GroundPlace place_on_ground_;
  Skeleton skeleton_;
  std::unique_ptr<SkeletonMotion> motion_;
  std::unique_ptr<CameraMotion> camera_;  // null: the stage has none
  std::map<double, unsigned> keys_;       // by time, which tracks have a key
  std::map<double, unsigned>::const_iterator next_;
  double shift_ = 0, place_ = 0;
  absl::Status opened_;
};

}  // namespace

absl::StatusOr<asset::Scene> ReadUsdaScene(std::unique_ptr<files::ByteSource> source,
                                           const asset::ReadOptions& options) {
  asset::BlockReader bytes(std::move(source));
  const auto stage = ReadStage(bytes, options);
  if (!stage.ok()) return stage.status();
  absl::StatusOr<StageScene> scene = FindScene(**stage, {options.outside_skel_root});
  if (!scene.ok()) return scene.status();
  return std::move(scene->scene);
}

std::unique_ptr<asset::MotionReader> OpenUsda(std::unique_ptr<files::ByteSource> source,
                                              const asset::ReadOptions& options) {
  return std::make_unique<UsdaReader>(std::move(source), options);
}

}  // namespace posewire::usd
