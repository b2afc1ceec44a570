#include "libs/skel/body_site.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "libs/names/known_names.h"
#include "libs/skel/humanoid.h"

namespace posewire::skel {
namespace {

using enum HumanBone;

// Of a person whose shoulder joints are at this height: the top of the skull above the eyes, and
// above the head's joint where there are no eyes; the back's site below the shoulders, and behind
// the spine.
constexpr float kShoulders_m = 1.44f, kEyesToTop_m = 0.115f, kHeadToTop_m = 0.19f;
constexpr float kBelowShoulders_m = 0.13f, kBehindSpine_m = 0.05f;
constexpr absl::string_view kBodyNames[] = {"head",       "back",       "hips",       "left_hand",
                                            "right_hand", "left_wrist", "right_wrist"};

Vec3 RestOf(const Rig& rig, int joint) { return PlaceOf(rig, rig.rest(), joint).at; }

// A point of the model at rest, and the joint with which it moves.
BodySite Upright(const Rig& rig, int joint, Vec3 at) {
  return {joint, Inverse(PlaceOf(rig, rig.rest(), joint)) * Placement{at, {}}};
}

const Site* FindSite(const Rig& rig, absl::string_view name) {
  for (const Site& site : rig.sites()) {
    if (site.name == name) return &site;
  }
  return nullptr;
}

// Returns the size relative to an adult.
float SizeOf(const Rig& rig) {
  const int shoulder = rig.humanoid().joint(kLeftUpperArm);
  const float height = shoulder < 0 ? 0 : RestOf(rig, shoulder).y;
  return height > 0.01f ? height / kShoulders_m : 1;
}

BodySite Head(const Rig& rig) {
  const Humanoid& bones = rig.humanoid();
  const int head = bones.joint(kHead);
  if (head < 0) return {};
  Vec3 top = RestOf(rig, head);
  const int eyes[] = {bones.joint(kLeftEye), bones.joint(kRightEye)};
  if (const Site* const tip = FindSite(rig, "skull_tip"); tip != nullptr && tip->joint == head) {
    top = PlaceOf(rig, rig.rest(), head, tip->offset).at;
  } else if (eyes[0] >= 0 && eyes[1] >= 0) {
    top.y = std::max(RestOf(rig, eyes[0]).y, RestOf(rig, eyes[1]).y) + kEyesToTop_m * SizeOf(rig);
  } else {
    top.y += kHeadToTop_m * SizeOf(rig);
  }
  // Bodies are symmetric, and the joints of a measured one only nearly so.
  if (std::fabs(top.x) < 0.02f * SizeOf(rig)) top.x = 0;
  return Upright(rig, head, top);
}

BodySite Back(const Rig& rig) {
  const Humanoid& bones = rig.humanoid();
  int chest = -1;
  for (const HumanBone bone : {kUpperChest, kChest, kSpine}) {
    if (chest < 0) chest = bones.joint(bone);
  }
  const int left = bones.joint(kLeftUpperArm), right = bones.joint(kRightUpperArm);
  if (chest < 0 || left < 0 || right < 0) return {};
  const float size = SizeOf(rig);
  Vec3 at = (RestOf(rig, left) + RestOf(rig, right)) * 0.5f;
  at.y -= kBelowShoulders_m * size;
  // The spine is farthest back about here.
  float spine = RestOf(rig, chest).z;
  for (int j = bones.joint(kNeck); j >= 0; j = rig.topology().parent(j)) {
    spine = std::min(spine, RestOf(rig, j).z);
  }
  at.z = spine - kBehindSpine_m * size;
  return Upright(rig, chest, at);
}

BodySite Wrist(const Rig& rig, int side) {
  BodySite site = HandSite(rig, side);
  site.in_joint.at = {};
  return site;
}

// Nothing for a name that is not one of ours; joint -1 if the rig lacks that part.
std::optional<BodySite> PartOfBody(const Rig& rig, absl::string_view name) {
  if (name == "head") return Head(rig);
  if (name == "back") return Back(rig);
  if (name == "left_hand") return HandSite(rig, 0);
  if (name == "right_hand") return HandSite(rig, 1);
  if (name == "left_wrist") return Wrist(rig, 0);
  if (name == "right_wrist") return Wrist(rig, 1);
  if (name != "hips") return std::nullopt;
  const int hips = rig.humanoid().joint(kHips);
  return hips < 0 ? BodySite{} : Upright(rig, hips, RestOf(rig, hips));
}

}  // namespace

BodySite HandSite(const Rig& rig, int side) {
  const HandGrip grip = GripOf(rig, side);
  return grip.complete() ? BodySite{grip.wrist, grip.in_wrist} : BodySite{};
}

absl::StatusOr<BodySite> FindBodySite(const Rig& rig, absl::string_view name) {
  if (const auto part = PartOfBody(rig, name)) {
    if (part->joint >= 0) return *part;
    return absl::FailedPreconditionError(absl::StrCat("rig ", rig.name(), " has no ", name));
  }
  if (const Site* const site = FindSite(rig, name)) {
    if (site->rotation) return BodySite{site->joint, {site->offset, *site->rotation}};
    return Upright(rig, site->joint, PlaceOf(rig, rig.rest(), site->joint, site->offset).at);
  }
  if (const int joint = rig.FindJoint(name); joint >= 0) {
    return Upright(rig, joint, RestOf(rig, joint));
  }
  std::vector<std::string> known(std::begin(kBodyNames), std::end(kBodyNames));
  for (const Site& site : rig.sites()) known.push_back(site.name);
  for (const std::string& joint : rig.joint_names()) known.push_back(joint);
  return absl::NotFoundError(absl::StrCat("the avatar has no site or joint \"", name.substr(0, 60),
                                          "\"", KnownNames(name.substr(0, 60), known)));
}

}  // namespace posewire::skel
