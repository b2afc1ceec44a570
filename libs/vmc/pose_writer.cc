#include "libs/vmc/pose_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/vmc/coordinates.h"
#include "libs/vmc/eye_shapes.h"

namespace posewire::vmc {
namespace {

using skel::HumanBone;
using skel::Mul;
using skel::Quat;
using skel::Vec3;

constexpr absl::string_view kRootName = "root";
constexpr float kLeastHipsHeight_m = 0.05f, kMostHipsHeight_m = 50;

// The bones that both VRM 0 and VRM 1 require.
constexpr HumanBone kRequired[] = {
    HumanBone::kHips,          HumanBone::kLeftUpperLeg,  HumanBone::kRightUpperLeg,
    HumanBone::kLeftLowerLeg,  HumanBone::kRightLowerLeg, HumanBone::kLeftFoot,
    HumanBone::kRightFoot,     HumanBone::kSpine,         HumanBone::kHead,
    HumanBone::kLeftUpperArm,  HumanBone::kRightUpperArm, HumanBone::kLeftLowerArm,
    HumanBone::kRightLowerArm, HumanBone::kLeftHand,      HumanBone::kRightHand};
constexpr HumanBone kTrackers[] = {HumanBone::kHead,     HumanBone::kSpine,
                                   HumanBone::kLeftHand, HumanBone::kRightHand,
                                   HumanBone::kLeftFoot, HumanBone::kRightFoot};

// Returns the rig without the missing bones; their children become children of the next bone above.
absl::StatusOr<std::shared_ptr<const skel::Rig>> Without(const std::bitset<kBones>& missing,
                                                         std::shared_ptr<const skel::Rig> vrm) {
  if (missing.none()) return vrm;
  skel::RigParts parts;
  parts.name = vrm->name();
  parts.stance = vrm->stance();
  parts.shapes.assign(vrm->shape_names().begin(), vrm->shape_names().end());
  const skel::PoseView rest = vrm->rest();
  // For each joint: its path in the new rig, and its place relative to the last kept joint.
  std::vector<std::string> paths(static_cast<size_t>(vrm->joints()));
  std::vector<skel::Placement> from_kept(paths.size());
  for (int j = 0; j < vrm->joints(); ++j) {
    const auto i = static_cast<size_t>(j);
    const int p = vrm->topology().parent(j);
    const std::string& name = vrm->joint_names()[i];
    const skel::Placement above = p < 0 ? skel::Placement{} : from_kept[static_cast<size_t>(p)];
    const Vec3 at = above.at + Rotate(above.turn, rest.translation(j));
    const Quat turn = Mul(above.turn, rest.rotation(j));
    const std::string over = p < 0 ? "" : paths[static_cast<size_t>(p)];
    const auto bone = vrm->humanoid().BoneOf(j);
    if (bone && IndexOf(*bone) < kBones && missing[static_cast<size_t>(*bone)]) {
      paths[i] = over;
      from_kept[i] = {at, turn};
      continue;
    }
    paths[i] = over.empty() ? name : absl::StrCat(over, "/", name);
    parts.joint_paths.push_back(paths[i]);
    parts.joint_aliases.push_back(vrm->joint_aliases().empty() ? "" : vrm->joint_aliases()[i]);
    parts.rest_translations.push_back(at);
    parts.rest_rotations.push_back(turn);
  }
  return skel::Rig::Make(std::move(parts));
}

absl::Status Check(const PoseWriterSettings& settings) {
  for (const HumanBone bone : kRequired) {
    if (settings.missing_bones[static_cast<size_t>(bone)]) {
      return absl::InvalidArgumentError(
          absl::StrCat("missing_bones: every VRM avatar has ", NameOf(bone)));
    }
  }
  const float height = settings.receiver_hips_height_m;
  if (!(height == 0 || (height >= kLeastHipsHeight_m && height <= kMostHipsHeight_m))) {
    return absl::InvalidArgumentError(absl::StrCat("receiver_hips_height_m ", height, ": 0, or ",
                                                   kLeastHipsHeight_m, " to ", kMostHipsHeight_m));
  }
  if (!std::isfinite(settings.mouth_close_jaw)) {
    return absl::InvalidArgumentError("mouth_close_jaw must be a number");
  }
  return absl::OkStatus();
}

ArkitWeights ArkitAmong(const shapes::TargetWeights& face) {
  ArkitWeights arkit;
  std::copy_n(face.begin(), arkit.size(), arkit.begin());
  return arkit;
}

}  // namespace

absl::StatusOr<PoseWriter> PoseWriter::Make(std::shared_ptr<const skel::Rig> vrm,
                                            std::shared_ptr<const skel::Rig> source,
                                            const PoseWriterSettings& settings) {
  if (vrm == nullptr || source == nullptr) {
    return absl::InvalidArgumentError("vmc: both the vrm rig and a source rig are needed");
  }
  if (absl::Status status = Check(settings); !status.ok()) return status;
  auto receiver = Without(settings.missing_bones, std::move(vrm));
  if (!receiver.ok()) return receiver.status();
  if (JointOf(**receiver, kHips) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("rig ", (*receiver)->name(), ": its first joint must be the hips"));
  }
  absl::StatusOr<skel::RigMap> map = skel::RigMap::Make(std::move(source), *std::move(receiver));
  if (!map.ok()) return map.status();
  bool any = false;
  for (int j = 0; j < map->from()->joints(); ++j) any = any || map->UsesJoint(j);
  if (!any) {
    return absl::InvalidArgumentError(
        absl::StrCat("rig ", map->from()->name(), " has no joint that stands for a bone"));
  }
  return PoseWriter(*std::move(map), settings);
}

PoseWriter::PoseWriter(skel::RigMap map, const PoseWriterSettings& settings)
    : map_(std::move(map)), settings_(settings) {
  const skel::Rig& vrm = *map_.to();
  for (int b = 0; b < kBones; ++b) {
    if (const int joint = JointOf(vrm, b); joint >= 0) bones_.push_back({b, joint});
  }
  for (size_t s = 0; s < shape_of_target_.size(); ++s) {
    shape_of_target_[s] = map_.from()->FindShape(shapes::TargetNames()[s]);
  }
  if (settings_.shape_set != nullptr) {
    set_weights_.resize(static_cast<size_t>(settings_.shape_set->size()));
  }
  if (settings_.receiver_hips_height_m > 0) {
    hips_scale_ = settings_.receiver_hips_height_m / vrm.rest().translation(0).y;
  }
  vrm_pose_.Resize(vrm.joints(), vrm.shapes());
  places_.resize(static_cast<size_t>(vrm.joints()));
  turns_.resize(places_.size());
}

float PoseWriter::Sent(float weight) const {
  return settings_.clamp_weights ? std::clamp(weight, 0.0f, 1.0f) : weight;
}

absl::Status PoseWriter::WriteBones(DatagramPacker& packer) const {
  const skel::PoseView pose = vrm_pose_.view();
  const skel::PoseView rest = map_.to()->rest();
  for (const SentBone& bone : bones_) {
    const int j = bone.joint;
    const bool placed = bone.bone == kHips && pose.has_t[j];
    if (!pose.has_r[j] && !placed) continue;
    const Vec3 at = (placed ? pose.translation(j) : rest.translation(j)) * hips_scale_;
    const Quat turn = pose.has_r[j] ? pose.rotation(j) : rest.rotation(j);
    const BonePose message{BoneNames()[static_cast<size_t>(bone.bone)], ToUnity({at, turn})};
    if (absl::Status status = packer.Add(message); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status PoseWriter::WriteTrackers(DatagramPacker& packer) {
  skel::LocalToModelJob job;
  job.rig = map_.to().get();
  job.local = vrm_pose_.view();
  job.positions = absl::MakeSpan(places_);
  job.rotations = absl::MakeSpan(turns_);
  if (absl::Status status = job.Validate(); !status.ok()) return status;
  job.Run();
  for (const HumanBone bone : kTrackers) {
    const auto j = static_cast<size_t>(map_.to()->humanoid().joint(bone));
    DevicePose message;
    message.serial = NameOf(bone);
    message.pose = ToUnity({places_[j] * hips_scale_, turns_[j]});
    if (absl::Status status = packer.Add(message); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status PoseWriter::WriteSet(const ArkitWeights& arkit, DatagramPacker& packer) {
  shapes::TargetWeights face = weights_;
  std::copy(arkit.begin(), arkit.end(), face.begin());
  settings_.shape_set->FromArkit(face, absl::MakeSpan(set_weights_));
  for (size_t s = 0; s < set_weights_.size(); ++s) {
    const shapes::Shape& shape = settings_.shape_set->shapes()[s];
    if (shape.sent == shapes::Shape::Sent::kNo) continue;
    absl::Status status = packer.Add(BlendValue{shape.name, set_weights_[s]});
    if (!status.ok()) return status;
  }
  return packer.Add(BlendApply());
}

absl::Status PoseWriter::WriteShapes(const skel::PoseView& pose, DatagramPacker& packer) {
  using Presets = PoseWriterSettings::Presets;
  for (size_t s = 0; s < shape_of_target_.size(); ++s) {
    const int shape = shape_of_target_[s];
    if (shape >= 0 && pose.has_w[shape]) weights_[s] = pose.weights[shape];
  }
  ArkitWeights arkit = ArkitAmong(weights_);
  FromAceMouth(settings_.mouth_close_jaw, arkit);
  if (settings_.shape_set != nullptr) return WriteSet(arkit, packer);
  const PresetWeights presets = PresetsFromArkit(arkit);

  for (size_t s = 0; settings_.arkit && s < size_t{kArkitShapes}; ++s) {
    absl::Status status = packer.Add(BlendValue{ArkitNames()[s], Sent(arkit[s])});
    if (!status.ok()) return status;
  }
  for (int p = 0; p < kPresets && settings_.presets != Presets::kNone; ++p) {
    const auto preset = static_cast<Preset>(p);
    const float weight = Sent(presets[static_cast<size_t>(p)]);
    absl::Status status;
    if (settings_.presets != Presets::kVrm1) {
      status.Update(packer.Add(BlendValue{Vrm0Name(preset), weight}));
    }
    if (settings_.presets != Presets::kVrm0) {
      status.Update(packer.Add(BlendValue{Vrm1Name(preset), weight}));
    }
    if (!status.ok()) return status;
  }
  if (!settings_.arkit && settings_.presets == Presets::kNone) return absl::OkStatus();
  return packer.Add(BlendApply());
}

absl::Status PoseWriter::Write(const skel::PoseView& pose, const FrameParts& parts,
                               DatagramPacker& packer) {
  if (pose.joints != map_.from()->joints() || pose.shapes != map_.from()->shapes()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "pose of ", pose.joints, " joints and ", pose.shapes, " shapes: rig ", map_.from()->name(),
        " has ", map_.from()->joints(), " and ", map_.from()->shapes()));
  }
  absl::Status status;
  if (parts.status || !parts.loaded) {
    Ok ok = parts.performer;
    ok.loaded = parts.loaded ? 1 : 0;
    status.Update(packer.Add(ok));
    status.Update(packer.Add(Time{static_cast<float>(parts.time_s)}));
  }
  if (!parts.loaded) return status;
  if (parts.root) {
    RootPose root;
    root.name = kRootName;
    if (settings_.root_with_scale) root.compositing.emplace();
    status.Update(packer.Add(root));
  }
  map_.Apply(pose, vrm_pose_.span());
  // Bones have no scale in VMC, so poses derived from them have none either.
  std::fill_n(vrm_pose_.span().has_s, vrm_pose_.joints(), uint8_t{0});
  if (parts.bones) status.Update(WriteBones(packer));
  if (parts.camera) {
    status.Update(
        packer.Add(CameraPose{"Camera", ToUnity(parts.camera->pose), parts.camera->fov_deg}));
  }
  if (parts.devices && settings_.trackers) status.Update(WriteTrackers(packer));
  if (parts.shapes) status.Update(WriteShapes(pose, packer));
  if (parts.eye_target) {
    status.Update(packer.Add(SetEye{1, MirrorX(TargetOf(ArkitAmong(weights_)))}));
  }
  return status;
}

}  // namespace posewire::vmc
