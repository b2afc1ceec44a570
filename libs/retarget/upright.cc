#include "libs/retarget/upright.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "libs/skel/body.h"
#include "libs/skel/pose_mapper.h"

namespace posewire::retarget {
namespace {

constexpr float kUsualHeight_m = 1.7f;
constexpr float kAlongAxis = 0.998f;
constexpr float kUnturnedRoot = 0.99999f;  // of a quaternion's real part

struct LengthUnit {
  absl::string_view name;  // "" for metres
  float metres;
};
// Returns the unit in which a person has this height.
LengthUnit UnitOf(float height) {
  if (height > 0.4f && height < 3) return {"", 1};
  constexpr LengthUnit kUnits[] = {{"centimetres", 0.01f},
                                   {"millimetres", 0.001f},
                                   {"inches", 0.0254f},
                                   {"feet", 0.3048f},
                                   {"units of CMU's captures, 56 mm", 0.0564444f}};
  for (const LengthUnit& unit : kUnits) {
    if (height * unit.metres > 1.2f && height * unit.metres < 2.3f) return unit;
  }
  return {"units of a person of usual height", kUsualHeight_m / height};
}

std::string LooksAlong(skel::Quat turn) {
  const skel::Vec3 front = skel::Rotate(skel::Conjugate(turn), {0, 0, 1});
  const float most = std::max({std::fabs(front.x), std::fabs(front.y), std::fabs(front.z)});
  return most > kAlongAxis ? skel::AxisBroughtTo({0, 0, 1}, turn) : "no axis";
}

}  // namespace

Upright MakeUpright(const std::shared_ptr<const skel::Rig>& rig,
                    const std::optional<skel::Quat>& turn, const std::optional<float>& unit_m,
                    float read_m) {
  Upright out{rig, 1, {}};
  const skel::Standing standing = skel::StandingOf(*rig);
  const skel::Quat by = turn.value_or(standing.upright);
  const bool turned = std::fabs(by.w) < kUnturnedRoot;
  if (!turn && turned) {
    out.warnings.push_back(absl::StrCat(
        "the skeleton rises along ", skel::AxisBroughtTo({0, 1, 0}, by), " and looks along ",
        LooksAlong(by), " at rest, and is turned to +Y and +Z; --up y leaves it as it is"));
  }
  if (!turn && !standing.known && skel::MissingBones(*rig).empty()) {
    out.warnings.emplace_back(
        "the skeleton does not stand at rest, so its trunk may come out turned; give a file in "
        "which it stands with --rest, or say which axis is up with --up");
  }
  out.unit = unit_m.value_or(read_m) / read_m;
  if (!unit_m && standing.known) {
    const LengthUnit unit = UnitOf(standing.height);
    out.unit = unit.metres;
    if (!unit.name.empty()) {
      out.warnings.push_back(
          absl::StrFormat("the person is %.3g units tall, which are taken as %s (%.2f m); --unit "
                          "METRES says otherwise",
                          standing.height / read_m, unit.name, standing.height * unit.metres));
    }
  }
  if (!turned && out.unit == 1) return out;
  if (auto made = skel::Turned(*rig, by, out.unit)) {
    out.rig = std::move(made);
    return out;
  }
  out.warnings.emplace_back(
      "the paths of its joints leave no room for another root, so it stays as it is");
  out.unit = 1;
  return out;
}

std::shared_ptr<const skel::Rig> StandingInPose(const skel::Rig& rig,
                                                absl::Span<const std::string> joints,
                                                const wire::DataChunk& keys) {
  const wire::KeyBlock& rotations = keys.pose[wire::kRotations];
  if (rotations.empty()) return nullptr;
  const absl::Span<const float> turns = rotations.key(0);
  const skel::PoseMapper places = skel::PoseMapper::ToRig(joints, rig);
  skel::RigParts parts = rig.parts();
  parts.rest_rotations.resize(parts.joint_paths.size());
  for (int i = 0; i < places.source_size(); ++i) {
    const int joint = places.TargetOf(i);
    if (joint < 0) continue;
    const auto at = 4 * static_cast<size_t>(i);
    parts.rest_rotations[static_cast<size_t>(joint)] =
        skel::Normalized(skel::Quat{turns[at], turns[at + 1], turns[at + 2], turns[at + 3]});
  }
  auto posed = skel::Rig::Make(std::move(parts));
  if (!posed.ok()) return nullptr;
  std::shared_ptr<const skel::Rig> out = skel::OnGround(*std::move(posed), 0);
  return out != nullptr && skel::StandingOf(*out).known ? out : nullptr;
}

}  // namespace posewire::retarget
