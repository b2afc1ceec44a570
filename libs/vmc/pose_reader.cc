#include "libs/vmc/pose_reader.h"

#include <bitset>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/vmc/bones.h"

namespace posewire::vmc {
namespace {

using skel::HumanBone;
using skel::Mul;
using skel::Quat;
using skel::Vec3;

// Shorter or longer legs are ignored.
constexpr float kLeastLegs_m = 0.05f, kMostLegs_m = 50;

bool IsOrigin(Vec3 p) { return p.x == 0 && p.y == 0 && p.z == 0; }

// Thigh and shank of one side. Their lengths do not depend on the sender's rest rotations.
constexpr std::pair<int, int> kLegs[] = {
    {IndexOf(HumanBone::kLeftLowerLeg), IndexOf(HumanBone::kLeftFoot)},
    {IndexOf(HumanBone::kRightLowerLeg), IndexOf(HumanBone::kRightFoot)}};

}  // namespace

absl::StatusOr<PoseReader> PoseReader::Make(std::shared_ptr<const skel::Rig> vrm,
                                            std::shared_ptr<const skel::Rig> target,
                                            const PoseReaderSettings& settings) {
  if (vrm == nullptr || target == nullptr) {
    return absl::InvalidArgumentError("vmc: both the vrm rig and a target rig are needed");
  }
  for (int b = 0; b < kBones; ++b) {
    if (JointOf(*vrm, b) < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("rig ", vrm->name(), " has no joint ", BoneNames()[static_cast<size_t>(b)]));
    }
  }
  const float height = settings.sender_hips_height_m;
  if (!(height == 0 || (height >= kLeastLegs_m && height <= kMostLegs_m))) {
    return absl::InvalidArgumentError(absl::StrCat("sender_hips_height_m ", height, ": 0, or ",
                                                   kLeastLegs_m, " to ", kMostLegs_m));
  }
  if (!std::isfinite(settings.mouth_close_jaw)) {
    return absl::InvalidArgumentError("mouth_close_jaw must be a number");
  }
  absl::StatusOr<skel::RigMap> map = skel::RigMap::Make(std::move(vrm), std::move(target));
  if (!map.ok()) return map.status();
  if (!map->UsesJoint(JointOf(*map->from(), kHips))) {
    return absl::InvalidArgumentError(
        absl::StrCat("rig ", map->to()->name(), " has no joint that stands for the hips"));
  }
  return PoseReader(*std::move(map), settings);
}

PoseReader::PoseReader(skel::RigMap map, const PoseReaderSettings& settings)
    : map_(std::move(map)), settings_(settings) {
  const skel::Rig& vrm = *map_.from();
  for (size_t s = 0; s < size_t{kArkitShapes}; ++s) {
    shape_of_arkit_[s] = map_.to()->FindShape(ArkitNames()[s]);
  }
  vrm_pose_.Resize(vrm.joints(), vrm.shapes());
  SetSenderRest(settings_.sender_rest.value_or(RestRotations{}));
}

void PoseReader::SetSenderRest(const RestRotations& rest) {
  const skel::Topology& topology = map_.from()->topology();
  settings_.sender_rest = rest;
  // The VRM rig has every bone, and parents are the nearest existing bones: a bone that the sender
  // lacks counts as at rest, without a rotation.
  std::vector<Quat> world(static_cast<size_t>(map_.from()->joints()));
  std::vector<Quat> local(world.size());
  for (size_t b = 0; b < size_t{kBones}; ++b) {
    rest_[b] = skel::Normalized(rest[b]);
    local[static_cast<size_t>(Joint(static_cast<int>(b)))] = rest_[b];
  }
  for (size_t j = 0; j < world.size(); ++j) {
    const int p = topology.parent(static_cast<int>(j));
    world[j] = p < 0 ? local[j] : Mul(world[static_cast<size_t>(p)], local[j]);
  }
  for (size_t b = 0; b < size_t{kBones}; ++b) {
    rest_world_[b] = world[static_cast<size_t>(Joint(static_cast<int>(b)))];
  }
}

// W inv(L) A inv(W): the bone's rotation beyond its rest, in world axes.
Quat PoseReader::Normalized(int bone, Quat rotation) const {
  const auto b = static_cast<size_t>(bone);
  const Quat beyond = Mul(Conjugate(rest_[b]), rotation);
  return skel::Normalized(Mul(Mul(rest_world_[b], beyond), Conjugate(rest_world_[b])));
}

// Scale from the sender's lengths to those of the VRM rig.
float PoseReader::ScaleOf(const Performer& performer) const {
  const skel::PoseView rest = map_.from()->rest();
  const auto rest_of = [&](int bone) { return rest.translation(Joint(bone)); };
  if (settings_.sender_hips_height_m > 0) return rest_of(kHips).y / settings_.sender_hips_height_m;
  float sender = 0, own = 0;
  for (const auto& [knee, ankle] : kLegs) {
    if (!performer.bone(knee).known || !performer.bone(ankle).known) continue;
    sender +=
        skel::Length(performer.bone(knee).pose.at) + skel::Length(performer.bone(ankle).pose.at);
    own += skel::Length(rest_of(knee)) + skel::Length(rest_of(ankle));
  }
  return sender >= kLeastLegs_m && sender <= kMostLegs_m ? own / sender : 1;
}

void PoseReader::WriteHips(const Performer& performer) {
  const Performer::Bone& hips = performer.bone(kHips);
  const bool rooted = settings_.use_root && performer.root().has_value();
  if (!hips.known && !rooted) return;
  const int joint = Joint(kHips);
  const float scale = ScaleOf(performer);
  const bool placed = hips.known && !IsOrigin(hips.pose.at);
  Vec3 at = placed ? hips.pose.at * scale : map_.from()->rest().translation(joint);
  Quat turn = hips.known ? Normalized(kHips, hips.pose.turn) : Quat{};
  if (rooted) {
    const skel::Placement& root = *performer.root();
    at = root.at * scale + Rotate(root.turn, at);
    turn = Mul(root.turn, turn);
  }
  vrm_pose_.span().SetTranslation(joint, at);
  vrm_pose_.span().SetRotation(joint, skel::Normalized(turn));
}

bool PoseReader::Silenced(int bone, const Performer& performer) const {
  using FaceBones = PoseReaderSettings::FaceBones;
  const bool eye = bone == IndexOf(HumanBone::kLeftEye) || bone == IndexOf(HumanBone::kRightEye);
  const bool jaw = bone == IndexOf(HumanBone::kJaw);
  if ((!eye && !jaw) || settings_.face_bones == FaceBones::kAlways) return false;
  if (settings_.face_bones == FaceBones::kNever) return true;
  if (jaw) return performer.jaw_shapes_moved();
  return performer.eye_shapes_moved();
}

void PoseReader::WriteBones(const Performer& performer) {
  for (int b = 0; b < kBones; ++b) {
    const Performer::Bone& bone = performer.bone(b);
    if (b == kHips || !bone.known) continue;
    const Quat turn = Silenced(b, performer) ? Quat{} : Normalized(b, bone.pose.turn);
    vrm_pose_.span().SetRotation(Joint(b), turn);
  }
}

void PoseReader::WriteShapes(const Performer& performer, const skel::PoseSpan& out) const {
  ArkitWeights weights = ArkitFromPresets(performer.presets());
  PresetWeights reached{};
  for (size_t p = 0; p < size_t{kPresets}; ++p) reached[p] = performer.presets_known()[p] ? 1 : 0;
  const ArkitWeights reach = ArkitFromPresets(reached);
  std::bitset<kArkitShapes> known = performer.arkit_known();
  for (size_t s = 0; s < size_t{kArkitShapes}; ++s) {
    if (known[s]) weights[s] = performer.arkit()[s];
    if (reach[s] > 0) known.set(s);
  }
  if (known[kMouthClose]) known.set(kJawOpen);
  ToAceMouth(settings_.mouth_close_jaw, weights);
  for (size_t s = 0; s < size_t{kArkitShapes}; ++s) {
    if (known[s] && shape_of_arkit_[s] >= 0) out.SetWeight(shape_of_arkit_[s], weights[s]);
  }
}

void PoseReader::Write(const Performer& performer, const skel::PoseSpan& out) {
  if (out.joints != map_.to()->joints() || out.shapes != map_.to()->shapes()) return;
  vrm_pose_.span().ClearPresence();
  if (!performer.loaded()) return out.ClearPresence();
  WriteHips(performer);
  WriteBones(performer);
  map_.Apply(vrm_pose_.view(), out);
  WriteShapes(performer, out);
}

RestRotations RestOf(const Performer& performer) {
  RestRotations rest;
  for (int b = 0; b < kBones; ++b) {
    if (performer.bone(b).known) rest[static_cast<size_t>(b)] = performer.bone(b).pose.turn;
  }
  return rest;
}

}  // namespace posewire::vmc
