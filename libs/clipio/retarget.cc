#include "libs/clipio/retarget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "libs/clipio/gltf_animation.h"
#include "libs/clipio/mixamo_rest.h"
#include "libs/files/read.h"
#include "libs/gltf/document.h"
#include "libs/skel/foot_plant.h"
#include "libs/skel/hand_contact.h"
#include "libs/skel/model_place.h"
#include "libs/skel/pose_mapper.h"
#include "libs/skel/rig_map.h"
#include "libs/usd/usdcat.h"
#include "libs/wire/source_binding.h"
#include "libs/x3d/humanoid.h"
#include "libs/x3d/read_scene.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;

constexpr int kLeastBones = 8;
constexpr size_t kMostFileBytes = 256u << 20;
// Of the height: a skeleton that hangs so far from the ground was not put on it. Where the ankles
// are its lowest joints, they are a tenth above.
constexpr float kOffGround = 0.12f;
// Bones of the same rig differ by no more than writing them down does.
constexpr float kSameLength = 0.02f, kSame_m = 1e-3f;
constexpr double kSameShare = 0.9;
constexpr float kUnturned = 0.99999f;  // of a quaternion's real part
constexpr float kHangsAlike = 0.35f;   // radians

int BonesOf(const skel::Rig& rig) {
  int bones = 0;
  for (int b = 0; b < skel::kHumanBones; ++b) {
    bones += rig.humanoid().joint(static_cast<skel::HumanBone>(b)) >= 0 ? 1 : 0;
  }
  return bones;
}

// Whether these are joints of a rig that streams are recognised by, with its bones.
bool IsKnownRig(const skel::Rig& skeleton, const skel::RigCatalog& catalog) {
  const auto known = skel::RecognizeRig(skeleton.joint_paths(), catalog);
  if (known == nullptr) return false;
  const skel::PoseMapper places = skel::PoseMapper::ToRig(skeleton.joint_paths(), *known);
  int all = 0, same = 0;
  for (int j = 0; j < skeleton.joints(); ++j) {
    const int place = places.TargetOf(j);
    if (place < 0 || skeleton.topology().parent(j) < 0) continue;
    const float is = skel::Length(skeleton.rest().translation(j));
    const float was = skel::Length(known->rest().translation(place));
    ++all;
    same += std::fabs(is - was) <= std::max(kSameLength * was, kSame_m) ? 1 : 0;
  }
  return all > 0 && same >= kSameShare * all;
}

// H-Anim's joints turn alike on all its humanoids, by their names (ISO/IEC 19774): so a skeleton
// that has them, unturned and with limbs that hang at rest about as the standard's do, is taken to
// stand as that. Others are compared by where their limbs point.
std::shared_ptr<const skel::Rig> AsHAnim(std::shared_ptr<const skel::Rig> from,
                                         const skel::RigCatalog& catalog) {
  using Bone = skel::HumanBone;
  constexpr std::pair<Bone, Bone> kLimbs[] = {
      {Bone::kLeftUpperArm, Bone::kLeftLowerArm},   {Bone::kLeftLowerArm, Bone::kLeftHand},
      {Bone::kRightUpperArm, Bone::kRightLowerArm}, {Bone::kRightLowerArm, Bone::kRightHand},
      {Bone::kLeftUpperLeg, Bone::kLeftLowerLeg},   {Bone::kLeftLowerLeg, Bone::kLeftFoot},
      {Bone::kRightUpperLeg, Bone::kRightLowerLeg}, {Bone::kRightLowerLeg, Bone::kRightFoot}};
  const auto known = skel::RecognizeRig(from->joint_paths(), catalog);
  if (known == nullptr || !absl::StartsWith(known->name(), "hanim_")) return from;
  skel::RigParts parts;
  for (int j = 0; j < from->joints(); ++j) {
    const skel::Quat turn = from->rest().rotation(j);
    if (std::fabs(turn.w) < kUnturned) return from;
    parts.rest_translations.push_back(from->rest().translation(j));
  }
  for (const auto& [start, end] : kLimbs) {
    skel::Vec3 way[2];
    for (int i = 0; i < 2; ++i) {
      const skel::Rig& rig = i == 0 ? *from : *known;
      const int a = rig.humanoid().joint(start), b = rig.humanoid().joint(end);
      if (a < 0 || b < 0) return from;
      way[i] = skel::PlaceOf(rig, rig.rest(), b).at - skel::PlaceOf(rig, rig.rest(), a).at;
    }
    const float apart =
        std::atan2(skel::Length(skel::Cross(way[0], way[1])), skel::Dot(way[0], way[1]));
    if (!(apart < kHangsAlike)) return from;
  }
  parts.name = from->name();
  parts.stance = known->stance();
  parts.joint_paths.assign(from->joint_paths().begin(), from->joint_paths().end());
  parts.shapes.assign(from->shape_names().begin(), from->shape_names().end());
  auto made = skel::Rig::Make(std::move(parts));
  return made.ok() ? *std::move(made) : from;
}

class Retargeted : public ClipReader {
 public:
  Retargeted(std::unique_ptr<ClipReader> clip, std::shared_ptr<const skel::Rig> rig,
             skel::RigCatalog catalog, std::shared_ptr<const skel::Rig> rest,
             std::shared_ptr<const JointMap> map)
      : clip_(std::move(clip)),
        rig_(std::move(rig)),
        catalog_(std::move(catalog)),
        rest_(std::move(rest)),
        map_(std::move(map)),
        pose_(rig_->joints(), rig_->shapes()) {}

  absl::Status Narrow(double from_s, double to_s) override { return clip_->Narrow(from_s, to_s); }
  std::string place_of_last() const override { return clip_->place_of_last(); }
  int64_t size() const override { return clip_->size(); }

 private:
  absl::StatusOr<std::optional<Message>> DoNext() override {
    absl::StatusOr<std::optional<Message>> message =
        ahead_ ? std::exchange(ahead_, std::nullopt) : clip_->Next();
    end_of_last_ = clip_->end_of_last();
    if (!message.ok() || !*message) return message;
    if (absl::Status s = Change(**message); !s.ok()) return s;
    return message;
  }

  // The very bytes of what is not changed.
  absl::StatusOr<std::optional<std::string>> DoNextSerialized() override {
    if (ahead_) return ClipReader::DoNextSerialized();
    absl::StatusOr<std::optional<std::string>> bytes = clip_->NextSerialized();
    end_of_last_ = clip_->end_of_last();
    if (!bytes.ok() || !*bytes || (seen_header_ && !binding_)) return bytes;
    Message message;
    if (!message.ParseFromString(**bytes)) return bytes;
    if (absl::Status s = Change(message); !s.ok()) return s;
    if (!binding_) return bytes;
    return std::optional<std::string>(message.SerializeAsString());
  }

  absl::Status Change(Message& message) {
    if (message.has_animation_data_stream_header()) {
      return Bind(*message.mutable_animation_data_stream_header());
    }
    if (binding_ && message.has_animation_data() && message.animation_data().has_skel_animation()) {
      Carry(*message.mutable_animation_data()->mutable_skel_animation());
    }
    return absl::OkStatus();
  }

  absl::Status Bind(ace::AnimationDataStreamHeader& header) {
    seen_header_ = true;
    auto& names = *header.mutable_skel_animation_header();
    if (names.joints().empty()) return absl::OkStatus();
    wire::StreamHeader said;
    said.joints.assign(names.joints().begin(), names.joints().end());
    said.shapes.assign(names.blend_shapes().begin(), names.blend_shapes().end());
    std::shared_ptr<const skel::Rig> from = rest_;
    if (from == nullptr) {
      from = clip_->skeleton();
      if (from == nullptr && clip_->moves_nodes()) {
        absl::StatusOr<std::optional<Message>> first = clip_->Next();
        if (!first.ok()) return first.status();
        ahead_ = *std::move(first);
        if (ahead_) from = MixamoRest(said.joints, PlacesIn(*ahead_));
        if (from == nullptr && BonesAmong(said.joints) >= kLeastBones) {
          return absl::InvalidArgumentError(
              "it moves a human's bones, and says nothing of how they stand at rest; give a file "
              "with its skeleton, such as its character, with --rest");
        }
      }
      if (from == nullptr && map_ != nullptr) {
        return absl::InvalidArgumentError(
            "it says nothing of how its joints stand at rest, which a map needs; give a file with "
            "its skeleton with --rest");
      }
      if (map_ == nullptr && !IsForeign(from.get(), catalog_)) return absl::OkStatus();
      if (map_ == nullptr) from = AsHAnim(std::move(from), catalog_);
    } else {
      const skel::PoseMapper places = skel::PoseMapper::ToRig(said.joints, *from);
      int known = 0;
      for (int i = 0; i < places.source_size(); ++i) known += places.TargetOf(i) >= 0 ? 1 : 0;
      if (known == 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("the skeleton at rest has none of the clip's joints, such as \"",
                         said.joints[0], "\""));
      }
    }
    if (map_ != nullptr) {
      auto named = map_->NameBones(*from, *rig_);
      if (!named.ok()) return named.status();
      from = *std::move(named);
    }
    wire::BindingOptions options;
    options.all_translations = true;
    options.source_rig = from;
    auto binding = wire::SourceBinding::Make(said, rig_, catalog_, options);
    if (!binding.ok()) return binding.status();
    binding_ = *std::move(binding);
    if (absl::Status s = Stand(said, from); !s.ok()) return s;
    widths_ = {said.shapes.size(), 3 * said.joints.size(), 4 * said.joints.size(),
               3 * said.joints.size()};
    Name(names);
    return absl::OkStatus();
  }

  // Feet are put where they stand in the clip, and hands on what they touch there, for which its
  // own pose is needed.
  absl::Status Stand(const wire::StreamHeader& said, const std::shared_ptr<const skel::Rig>& from) {
    if (from == rig_) return absl::OkStatus();
    auto map = skel::RigMap::Make(from, rig_);
    if (!map.ok()) return absl::OkStatus();  // a clip of shapes alone
    wire::BindingOptions options;
    options.all_translations = true;
    options.source_rig = from;
    auto own = wire::SourceBinding::Make(said, from, catalog_, options);
    if (!own.ok()) return own.status();
    own_ = *std::move(own);
    feet_.emplace(*map);
    hands_.emplace(*map);
    own_pose_ = skel::Pose(from->joints(), from->shapes());
    return absl::OkStatus();
  }

  static std::vector<float> PlacesIn(const Message& message) {
    std::vector<float> out;
    const auto& animation = message.animation_data().skel_animation();
    if (animation.translations_size() == 0) return out;
    for (const auto& v : animation.translations(0).values()) {
      out.insert(out.end(), {v.x(), v.y(), v.z()});
    }
    return out;
  }

  static int BonesAmong(const std::vector<std::string>& joints) {
    skel::RigParts parts;
    parts.name = "names";
    parts.joint_paths = joints;
    parts.rest_translations.resize(joints.size());
    const auto rig = skel::Rig::Make(std::move(parts));
    return rig.ok() ? BonesOf(**rig) : 0;
  }

  // What poses of the clip determine of the rig.
  void Name(ace::SkelAnimationHeader& names) {
    std::array<std::vector<float>, wire::kPoseTracks> all;
    for (size_t t = 0; t < all.size(); ++t) all[t].assign(widths_[t], 0);
    for (size_t at = 0; at < all[wire::kRotations].size(); at += 4) all[wire::kRotations][at] = 1;
    wire::SourceBinding::Sample sample;
    for (const auto t : {wire::kWeights, wire::kTranslations, wire::kRotations}) {
      sample.track[t] = all[t];
    }
    binding_->Apply(sample, pose_.span());
    const skel::PoseView pose = pose_.view();
    names.clear_joints();
    names.clear_blend_shapes();
    for (int j = 0; j < pose.joints; ++j) {
      if (!pose.has_r[j] && !pose.has_t[j]) continue;
      joints_.push_back(j);
      names.add_joints(rig_->joint_paths()[static_cast<size_t>(j)]);
    }
    for (int s = 0; s < pose.shapes; ++s) {
      if (!pose.has_w[s]) continue;
      shapes_.push_back(s);
      names.add_blend_shapes(rig_->shape_names()[static_cast<size_t>(s)]);
    }
  }

  template <typename Keys, typename Put>
  void Take(const Keys& keys, double code_s, wire::PoseTrack track, Put put) {
    for (const auto& key : keys) {
      if (key.time_code() != code_s) continue;
      latest_[track].clear();
      for (const auto& value : key.values()) put(value, latest_[track]);
      if (latest_[track].size() != widths_[track]) latest_[track].clear();
    }
  }

  void Carry(ace::SkelAnimation& animation) {
    const ace::SkelAnimation from = std::exchange(animation, {});
    std::set<double> poses, weights;
    for (const auto& key : from.translations()) poses.insert(key.time_code());
    for (const auto& key : from.rotations()) poses.insert(key.time_code());
    for (const auto& key : from.blend_shape_weights()) weights.insert(key.time_code());
    std::set<double> all = poses;
    all.insert(weights.begin(), weights.end());
    const auto vector = [](const ace::Float3& v, std::vector<float>& out) {
      out.insert(out.end(), {v.x(), v.y(), v.z()});
    };
    for (const double code_s : all) {
      Take(from.translations(), code_s, wire::kTranslations, vector);
      Take(from.rotations(), code_s, wire::kRotations,
           [](const ace::QuatF& q, std::vector<float>& out) {
             out.insert(out.end(), {q.real(), q.i(), q.j(), q.k()});
           });
      Take(from.blend_shape_weights(), code_s, wire::kWeights,
           [](float weight, std::vector<float>& out) { out.push_back(weight); });
      wire::SourceBinding::Sample sample;
      for (const auto t : {wire::kWeights, wire::kTranslations, wire::kRotations}) {
        sample.track[t] = latest_[t];
      }
      binding_->Apply(sample, pose_.span());
      if (feet_) {
        own_->Apply(sample, own_pose_.span());
        feet_->Apply(own_pose_.view(), pose_.span());
        hands_->Apply(own_pose_.view(), pose_.span());
      }
      if (poses.contains(code_s)) AddPose(code_s, animation);
      if (weights.contains(code_s) && !shapes_.empty()) AddWeights(code_s, animation);
    }
  }

  void AddPose(double code_s, ace::SkelAnimation& out) const {
    const skel::PoseView pose = pose_.view(), rest = rig_->rest();
    auto& places = *out.add_translations();
    auto& turns = *out.add_rotations();
    places.set_time_code(code_s);
    turns.set_time_code(code_s);
    for (const int j : joints_) {
      const skel::Vec3 t = pose.has_t[j] ? pose.translation(j) : rest.translation(j);
      auto& place = *places.add_values();
      place.set_x(t.x), place.set_y(t.y), place.set_z(t.z);
      const skel::Quat q = pose.has_r[j] ? pose.rotation(j) : rest.rotation(j);
      auto& turn = *turns.add_values();
      turn.set_real(q.w), turn.set_i(q.x), turn.set_j(q.y), turn.set_k(q.z);
    }
  }

  void AddWeights(double code_s, ace::SkelAnimation& out) const {
    auto& key = *out.add_blend_shape_weights();
    key.set_time_code(code_s);
    for (const int s : shapes_) key.add_values(pose_.view().weights[s]);
  }

  std::unique_ptr<ClipReader> clip_;
  const std::shared_ptr<const skel::Rig> rig_;
  const skel::RigCatalog catalog_;
  const std::shared_ptr<const skel::Rig> rest_;
  const std::shared_ptr<const JointMap> map_;
  std::optional<wire::SourceBinding> binding_;  // none: the clip passes
  bool seen_header_ = false;
  std::optional<Message> ahead_;  // read before its time
  std::array<size_t, wire::kPoseTracks> widths_ = {};
  std::array<std::vector<float>, wire::kPoseTracks> latest_;
  std::vector<int> joints_, shapes_;  // that are named
  skel::Pose pose_;
  std::optional<wire::SourceBinding> own_;  // to the clip's own skeleton
  std::optional<skel::FootPlant> feet_;
  std::optional<skel::HandContact> hands_;
  skel::Pose own_pose_;
};

}  // namespace

std::shared_ptr<const skel::Rig> RestRig(skel::RigParts parts) {
  parts.name = "the clip's skeleton";
  parts.stance = skel::Stance::kAsItStands;
  absl::StatusOr<std::shared_ptr<const skel::Rig>> rig = skel::Rig::Make(parts);
  if (!rig.ok()) return nullptr;
  std::vector<skel::Vec3> at;
  std::vector<skel::Quat> turn;
  float low = 0, high = 0;
  for (int j = 0; j < (*rig)->joints(); ++j) {
    const int p = (*rig)->topology().parent(j);
    const skel::Vec3 t = (*rig)->rest().translation(j);
    const skel::Quat q = (*rig)->rest().rotation(j);
    const auto above = static_cast<size_t>(std::max(p, 0));
    at.push_back(p < 0 ? t : at[above] + skel::Rotate(turn[above], t));
    turn.push_back(p < 0 ? q : skel::Mul(turn[above], q));
    low = j == 0 ? at[0].y : std::min(low, at.back().y);
    high = j == 0 ? at[0].y : std::max(high, at.back().y);
  }
  if (std::fabs(low) <= kOffGround * (high - low)) return *rig;
  for (int j = 0; j < (*rig)->joints(); ++j) {
    if ((*rig)->topology().parent(j) < 0) parts.rest_translations[static_cast<size_t>(j)].y -= low;
  }
  rig = skel::Rig::Make(std::move(parts));
  return rig.ok() ? *rig : nullptr;
}

namespace {

absl::StatusOr<std::shared_ptr<const skel::Rig>> HumanoidAtRest(absl::string_view text) {
  const absl::StatusOr<skel::RigCatalog> catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  const auto standard = catalog->Find("hanim_loa4");
  if (!standard.ok()) return standard.status();
  const absl::StatusOr<x3d::Scene> scene = x3d::ReadScene(text);
  if (!scene.ok()) return scene.status();
  const absl::StatusOr<x3d::Humanoid> humanoid = x3d::ReadHumanoid(*scene, **standard);
  if (!humanoid.ok()) return humanoid.status();
  return RestRig(x3d::RigOf(*humanoid));
}

}  // namespace

bool HoldsSkeleton(absl::string_view path) {
  const std::string lower = absl::AsciiStrToLower(path);
  for (const absl::string_view ending :
       {".glb", ".gltf", ".vrm", ".vrma", ".bvh", ".usda", ".x3d", ".x3dv", ".rig"}) {
    if (absl::EndsWith(lower, ending)) return true;
  }
  return usd::IsStageName(path);
}

absl::StatusOr<std::shared_ptr<const skel::Rig>> ReadSkeleton(const std::string& path) {
  const std::string lower = absl::AsciiStrToLower(path);
  const bool gltf = absl::EndsWith(lower, ".glb") || absl::EndsWith(lower, ".gltf") ||
                    absl::EndsWith(lower, ".vrm");
  const bool x3d = absl::EndsWith(lower, ".x3d") || absl::EndsWith(lower, ".x3dv");
  if (gltf || x3d || absl::EndsWith(lower, ".rig")) {
    const absl::StatusOr<std::string> text = files::ReadWhole(path, kMostFileBytes);
    if (!text.ok()) return text.status();
    absl::StatusOr<std::shared_ptr<const skel::Rig>> rig;
    if (gltf) {
      auto document = gltf::Document::Parse(*text, {}, nullptr);
      rig = document.ok() ? GltfAnimation::Skeleton(**document)
                          : absl::StatusOr<std::shared_ptr<const skel::Rig>>(document.status());
    } else {
      rig = x3d ? HumanoidAtRest(*text) : skel::Rig::Parse(*text);
    }
    if (!rig.ok()) {
      return absl::Status(rig.status().code(), absl::StrCat(path, ": ", rig.status().message()));
    }
    if (*rig != nullptr) return rig;
  } else {
    auto clip = ClipReader::Open(path);
    if (!clip.ok()) return clip.status();
    if (const auto header = (*clip)->Next(); !header.ok()) return header.status();
    if (auto rig = (*clip)->skeleton(); rig != nullptr) return rig;
  }
  return absl::InvalidArgumentError(absl::StrCat(path, ": holds no skeleton at rest"));
}

bool IsForeign(const skel::Rig* skeleton, const skel::RigCatalog& catalog) {
  return skeleton != nullptr && BonesOf(*skeleton) >= kLeastBones &&
         !IsKnownRig(*skeleton, catalog);
}

std::unique_ptr<ClipReader> Retarget(std::unique_ptr<ClipReader> clip,
                                     std::shared_ptr<const skel::Rig> rig, skel::RigCatalog catalog,
                                     std::shared_ptr<const skel::Rig> rest,
                                     std::shared_ptr<const JointMap> map) {
  return std::make_unique<Retargeted>(std::move(clip), std::move(rig), std::move(catalog),
                                      std::move(rest), std::move(map));
}

}  // namespace posewire::clipio
