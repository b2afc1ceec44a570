#include "tools/animclip/clip_mirror.h"

#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/animclip/clip_parts.h"
#include "tools/animclip/key_between.h"
#include "tools/animclip/rig_choice.h"

namespace posewire::animclip {
namespace {

namespace pb = nvidia_ace::animation_data::v1;

std::string OtherSideOfPath(absl::string_view path) {
  return absl::StrJoin(absl::StrSplit(path, '/'), "/",
                       [](std::string* out, absl::string_view element) {
                         absl::StrAppend(out, skel::OtherSide(element));
                       });
}

skel::Vec3 ToVec3(const pb::Float3& v) { return {v.x(), v.y(), v.z()}; }

}  // namespace

absl::Status ClipMirror::RenameJoints(google::protobuf::RepeatedPtrField<std::string>* joints) {
  std::vector<bool> met(static_cast<size_t>(rig_->joints()));
  for (std::string& path : *joints) {
    const int j = rig_->FindJoint(path);
    if (j < 0 || met[static_cast<size_t>(j)]) {
      return absl::InvalidArgumentError(
          absl::StrCat("joint \"", path, "\" is ", j < 0 ? "not" : "there twice", " in rig ",
                       rig_->name(), ", by which left and right are told apart"));
    }
    met[static_cast<size_t>(j)] = true;
    joints_.push_back(j);
    const int partner = mirror_->joint_partner(j);
    std::string other = OtherSideOfPath(path);
    path = rig_->FindJoint(other) == partner ? std::move(other)
                                             : rig_->joint_paths()[static_cast<size_t>(partner)];
  }
  return absl::OkStatus();
}

template <typename Values>
void ClipMirror::FlipValues(Values* values) {
  constexpr bool kTurns = std::is_same_v<typename Values::value_type, pb::QuatF>;
  pose_.span().ClearPresence();
  for (int i = 0; i < values->size(); ++i) {
    const int j = joints_[static_cast<size_t>(i)];
    if constexpr (kTurns) {
      pose_.span().SetRotation(j, ToQuat(values->Get(i)));
    } else {
      pose_.span().SetTranslation(j, ToVec3(values->Get(i)));
    }
  }
  mirror_->Run(pose_.view(), mirrored_.span());
  for (int i = 0; i < values->size(); ++i) {
    const int to = mirror_->joint_partner(joints_[static_cast<size_t>(i)]);
    if constexpr (kTurns) {
      *values->Mutable(i) = FromQuat(mirrored_.view().rotation(to));
    } else {
      Set(mirrored_.view().translation(to), values->Mutable(i));
    }
  }
}

absl::StatusOr<bool> ClipMirror::Apply(Message& message) {
  if (message.has_animation_data_stream_header()) {
    const wire::StreamHeader names = NamesOf(message.animation_data_stream_header());
    const auto catalog = skel::RigCatalog::Builtin(ShapesFor(names));
    if (!catalog.ok()) return catalog.status();
    auto rig = ChooseRig(rig_name_, names, *catalog);
    if (!rig.ok()) return rig.status();
    rig_ = *std::move(rig);
    mirror_.emplace(*rig_);
    pose_ = mirrored_ = skel::Pose(rig_->joints(), rig_->shapes());
    if (!message.animation_data_stream_header().has_skel_animation_header()) return true;
    auto& header = *message.mutable_animation_data_stream_header()->mutable_skel_animation_header();
    for (std::string& shape : *header.mutable_blend_shapes()) shape = OtherSideOfPath(shape);
    if (absl::Status s = RenameJoints(header.mutable_joints()); !s.ok()) return s;
    return true;
  }
  if (!message.has_animation_data()) return true;
  pb::AnimationData& data = *message.mutable_animation_data();
  if (data.has_skel_animation()) {
    pb::SkelAnimation& skel = *data.mutable_skel_animation();
    for (auto& key : *skel.mutable_translations()) FlipValues(key.mutable_values());
    for (auto& key : *skel.mutable_rotations()) FlipValues(key.mutable_values());
  }
  if (data.has_camera()) {
    for (auto& key : *data.mutable_camera()->mutable_position()) {
      key.mutable_value()->set_x(-key.value().x());
    }
    for (auto& key : *data.mutable_camera()->mutable_rotation()) {
      key.mutable_value()->set_j(-key.value().j());
      key.mutable_value()->set_k(-key.value().k());
    }
  }
  return true;
}

}  // namespace posewire::animclip
