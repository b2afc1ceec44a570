#include "libs/skel/body.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "libs/skel/bone_chains.h"
#include "libs/skel/local_to_model_job.h"

namespace posewire::skel {
namespace {

using Bone = HumanBone;

// For a standing body: fraction of the height from the ankles to the head's joint.
constexpr float kAnklesToHead = 0.87f;
// Cosine between spine and legs below which they point in opposite directions.
constexpr float kLeastApart = -0.3f;
// Fraction of the height: a skeleton farther than this from the ground was not placed on it. If the
// ankles are its lowest joints, they are a tenth above the ground.
constexpr float kOffGround = 0.12f;
// Least cosine between a direction and the axis that it is identified with.
constexpr float kLeastAlong = 0.8f;
// A body rotated by less than this looks straight ahead.
constexpr float kLeastYaw = 5 * kDeg;

// Bones without which a limb cannot follow its source.
constexpr Bone kNeeded[] = {Bone::kHips,          Bone::kHead,      Bone::kLeftUpperArm,
                            Bone::kLeftLowerArm,  Bone::kLeftHand,  Bone::kRightUpperArm,
                            Bone::kRightLowerArm, Bone::kRightHand, Bone::kLeftUpperLeg,
                            Bone::kLeftLowerLeg,  Bone::kLeftFoot,  Bone::kRightUpperLeg,
                            Bone::kRightLowerLeg, Bone::kRightFoot};

// "LeftUpperArm" becomes "upper arm".
std::string Words(Bone bone, absl::string_view side) {
  std::string out;
  for (const char c : absl::StripPrefix(NameOf(bone), side)) {
    const auto byte = static_cast<unsigned char>(c);
    if (!out.empty() && absl::ascii_isupper(byte)) out.push_back(' ');
    out.push_back(absl::ascii_tolower(byte));
  }
  return out;
}

std::string LimbOf(const BoneChain& line) {
  return line.side.empty() ? std::string(line.name)
                           : absl::StrCat(absl::AsciiStrToLower(line.side), " ", line.name);
}

// Places of all joints at rest, in model space.
struct Places {
  std::vector<Vec3> at;
  std::vector<Quat> turn;
};
Places PlacesAtRest(const Rig& rig) {
  const auto joints = static_cast<size_t>(rig.joints());
  Places out{std::vector<Vec3>(joints), std::vector<Quat>(joints)};
  LocalToModelJob job;
  job.rig = &rig;
  job.local = rig.rest();
  job.positions = absl::MakeSpan(out.at);
  job.rotations = absl::MakeSpan(out.turn);
  job.Run();
  return out;
}

// Places of the bones at rest.
class RestingBones {
 public:
  explicit RestingBones(const Rig& rig) : rig_(rig), at_(PlacesAtRest(rig).at) {}

  std::optional<Vec3> Of(Bone bone) const {
    const int joint = rig_.humanoid().joint(bone);
    if (joint < 0) return std::nullopt;
    return at_[static_cast<size_t>(joint)];
  }

  // Returns the middle of those that exist.
  std::optional<Vec3> Middle(absl::Span<const Bone> bones) const {
    Vec3 sum;
    float count = 0;
    for (const Bone bone : bones) {
      if (const auto at = Of(bone)) {
        sum = sum + *at;
        ++count;
      }
    }
    if (count == 0) return std::nullopt;
    return sum * (1 / count);
  }

  // Returns the direction from right to left over all pairs of bones.
  Vec3 ToTheLeft() const {
    Vec3 sum;
    for (int b = 0; b < kHumanBones; ++b) {
      const absl::string_view name = NameOf(static_cast<Bone>(b));
      if (!absl::StartsWith(name, "Left")) continue;
      const auto left = Of(static_cast<Bone>(b));
      const auto right = Of(*FindHumanBone(absl::StrCat("Right", name.substr(4))));
      if (left && right) sum = sum + (*left - *right);
    }
    return sum;
  }

 private:
  const Rig& rig_;
  std::vector<Vec3> at_;
};

// Returns the 24 rotations by quarter turns.
std::vector<Quat> QuarterTurns() {
  std::vector<Quat> out;
  for (int up = 0; up < 6; ++up) {
    const Quat tilt = up < 4 ? FromAxisAngle({1, 0, 0}, static_cast<float>(up) * kPi / 2)
                             : FromAxisAngle({0, 0, 1}, up == 4 ? kPi / 2 : -kPi / 2);
    for (int yaw = 0; yaw < 4; ++yaw) {
      out.push_back(Mul(FromAxisAngle({0, 1, 0}, static_cast<float>(yaw) * kPi / 2), tilt));
    }
  }
  return out;
}

}  // namespace

std::shared_ptr<const Rig> OnGround(std::shared_ptr<const Rig> rig, int depth) {
  const Places places = PlacesAtRest(*rig);
  const auto [low, high] = std::minmax_element(
      places.at.begin(), places.at.end(), [](const Vec3& a, const Vec3& b) { return a.y < b.y; });
  if (low == places.at.end() || std::fabs(low->y) <= kOffGround * (high->y - low->y)) return rig;
  RigParts parts = rig->parts();
  std::vector<int> depths(places.at.size());
  for (size_t j = 0; j < depths.size(); ++j) {
    const int p = rig->topology().parent(static_cast<int>(j));
    depths[j] = p < 0 ? 0 : depths[static_cast<size_t>(p)] + 1;
    if (depths[j] != depth) continue;
    const Quat above = p < 0 ? Quat{} : places.turn[static_cast<size_t>(p)];
    parts.rest_translations[j] =
        parts.rest_translations[j] + Rotate(Conjugate(above), {0, -low->y, 0});
  }
  auto moved = Rig::Make(std::move(parts));
  return moved.ok() ? *std::move(moved) : nullptr;
}

std::shared_ptr<const Rig> RestRig(RigParts parts) {
  parts.name = "the clip's skeleton";
  parts.stance = Stance::kAsItStands;
  absl::StatusOr<std::shared_ptr<const Rig>> rig = Rig::Make(std::move(parts));
  if (!rig.ok()) return nullptr;
  const Standing standing = StandingOf(**rig);
  if (standing.known && AxisBroughtTo({0, 1, 0}, standing.upright) != "+Y") return *rig;
  return OnGround(*std::move(rig), 0);
}

std::string MissingBones(const Rig& rig) {
  const Humanoid& humanoid = rig.humanoid();
  std::vector<std::string> missing;
  for (const BoneChain& line : BoneChains()) {
    std::vector<std::string> lacks;
    size_t needed = 0;
    for (const Bone bone : line.bones) {
      if (std::find(std::begin(kNeeded), std::end(kNeeded), bone) == std::end(kNeeded)) continue;
      ++needed;
      if (humanoid.joint(bone) < 0) lacks.push_back(Words(bone, line.side));
    }
    if (line.name == "trunk") {
      if (humanoid.FirstOf({Bone::kSpine, Bone::kChest, Bone::kUpperChest}) < 0) {
        lacks.insert(lacks.begin(), "spine");
      }
      missing.insert(missing.end(), lacks.begin(), lacks.end());
    } else if (!lacks.empty()) {
      missing.push_back(lacks.size() == needed
                            ? LimbOf(line)
                            : absl::StrCat(LimbOf(line), " (", absl::StrJoin(lacks, ", "), ")"));
    }
  }
  return absl::StrJoin(missing, "; ");
}

std::vector<std::string> FoundBones(const Rig& rig) {
  std::vector<std::string> out;
  for (const BoneChain& line : BoneChains()) {
    std::vector<std::string> found;
    for (const Bone bone : line.bones) {
      const int joint = rig.humanoid().joint(bone);
      if (joint < 0) continue;
      found.push_back(absl::StrCat(absl::StripPrefix(NameOf(bone), line.side), " = ",
                                   rig.joint_names()[static_cast<size_t>(joint)]));
    }
    if (!found.empty()) out.push_back(absl::StrCat(LimbOf(line), ": ", absl::StrJoin(found, ", ")));
  }
  return out;
}

Standing StandingOf(const Rig& rig) {
  Standing standing;
  const RestingBones bones(rig);
  const auto head = bones.Middle({Bone::kHead});
  const auto feet = bones.Middle({Bone::kLeftFoot, Bone::kRightFoot});
  const auto thighs = bones.Middle({Bone::kLeftUpperLeg, Bone::kRightUpperLeg});
  const Vec3 left = bones.ToTheLeft();
  if (!head || !feet || !thighs || Length(left) == 0) return standing;
  const Vec3 spine = Normalized(*head - *thighs), legs = Normalized(*feet - *thighs);
  const Vec3 up = Normalized(*head - *feet), side = Normalized(left);
  if (!(Dot(spine, legs) < kLeastApart)) return standing;
  float best = -2;
  for (const Quat turn : QuarterTurns()) {
    const float along = Rotate(turn, up).y + Rotate(turn, side).x;
    if (along <= best + 1e-4f) continue;
    best = along;
    standing.upright = turn;
  }
  standing.known = Rotate(standing.upright, up).y > kLeastAlong;
  // If it does not look along an axis, rotate it by the remaining angle.
  const Vec3 across = Rotate(standing.upright, side);
  const float yaw = std::atan2(-across.z, across.x);
  if (std::fabs(yaw) > kLeastYaw) {
    standing.upright = Mul(FromAxisAngle({0, 1, 0}, -yaw), standing.upright);
  }
  if (!standing.known) standing.upright = {};
  standing.height = Length(*head - *feet) / kAnklesToHead;
  return standing;
}

std::string AxisBroughtTo(Vec3 to, Quat rotation) {
  const Vec3 axis = Rotate(Conjugate(rotation), to);
  const float parts[] = {axis.x, axis.y, axis.z};
  const auto* const most =
      std::max_element(std::begin(parts), std::end(parts),
                       [](float a, float b) { return std::fabs(a) < std::fabs(b); });
  return absl::StrCat(*most < 0 ? "-" : "+", std::string(1, "XYZ"[most - parts]));
}

std::optional<Quat> UprightFrom(absl::string_view axis) {
  constexpr std::pair<absl::string_view, Vec3> kAxes[] = {
      {"x", {0, 0, kPi / 2}}, {"-x", {0, 0, -kPi / 2}}, {"y", {}},
      {"-y", {kPi, 0, 0}},    {"z", {-kPi / 2, 0, 0}},  {"-z", {kPi / 2, 0, 0}}};
  for (const auto& [name, turn] : kAxes) {
    if (name == absl::AsciiStrToLower(absl::StripPrefix(axis, "+"))) return Exp(turn);
  }
  return std::nullopt;
}

absl::Status CheckUp(absl::string_view axis) {
  if (axis == "auto" || UprightFrom(axis)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("\"", axis, "\" is no axis; use x, y, z, -x, -y, -z or auto"));
}

absl::Status CheckUnit(absl::string_view unit) {
  if (LengthOfUnit(unit)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", unit, "\" is no unit of length; use m, cm, mm, in, ft, or metres as a number over 0"));
}

std::optional<float> LengthOfUnit(absl::string_view unit) {
  constexpr std::pair<absl::string_view, float> kUnits[] = {
      {"m", 1}, {"cm", 0.01f}, {"mm", 0.001f}, {"in", 0.0254f}, {"ft", 0.3048f}};
  for (const auto& [name, metres] : kUnits) {
    if (name == unit) return metres;
  }
  float metres = 0;
  if (!absl::SimpleAtof(unit, &metres) || !(metres >= 1e-6f) || !(metres <= 1e6f)) {
    return std::nullopt;
  }
  return metres;
}

std::shared_ptr<const Rig> Turned(const Rig& rig, Quat turn, float unit) {
  RigParts parts;
  parts.name = rig.name();
  parts.stance = rig.stance();
  parts.shapes = rig.parts().shapes;
  parts.joint_paths = {std::string(kTurnedRoot)};
  parts.rest_translations = {{}};
  parts.rest_rotations = {turn};
  for (int j = 0; j < rig.joints(); ++j) {
    parts.joint_paths.push_back(
        absl::StrCat(kTurnedRoot, "/", rig.joint_paths()[static_cast<size_t>(j)]));
    parts.rest_translations.push_back(rig.rest().translation(j) * unit);
    parts.rest_rotations.push_back(rig.rest().rotation(j));
  }
  auto turned = Rig::Make(std::move(parts));
  if (!turned.ok()) return nullptr;
  for (int j = 0; j < rig.joints(); ++j) {  // fails for paths of an unusual form
    if ((*turned)->topology().parent(j + 1) != rig.topology().parent(j) + 1) return nullptr;
  }
  return OnGround(*std::move(turned), 1);
}

}  // namespace posewire::skel
