#include "services/a2f_source/core/vmc_users.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace posewire::a2f_source {
namespace {

constexpr double kStale_s = 1;
constexpr absl::string_view kPropPrefix = "prop:";
constexpr size_t kMostRoles = 256;
constexpr float kDegree = 3.14159265358979f / 180;

std::string Plain(absl::string_view serial) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(serial), {{"_", ""}, {" ", ""}, {"-", ""}});
}

// Returns the wider of ARKit's shapes and the vowels of a model without them.
float MouthOpening(const vmc::Performer& performer) {
  float open = performer.arkit()[vmc::kJawOpen] - performer.arkit()[vmc::kMouthClose];
  for (const vmc::Preset vowel :
       {vmc::Preset::kAa, vmc::Preset::kIh, vmc::Preset::kOu, vmc::Preset::kEe, vmc::Preset::kOh}) {
    open = std::max(open, performer.presets()[static_cast<size_t>(vowel)]);
  }
  return open;
}

}  // namespace

VmcUsers::Part VmcUsers::FindPart(absl::string_view name) {
  static constexpr std::pair<absl::string_view, Part> kParts[] = {
      {"head", &VmcUser::head},
      {"left_hand", &VmcUser::left_hand},
      {"right_hand", &VmcUser::right_hand},
      {"hips", &VmcUser::hips},
      {"left_foot", &VmcUser::left_foot},
      {"right_foot", &VmcUser::right_foot}};
  for (const auto& [known, part] : kParts) {
    if (known == name) return part;
  }
  return nullptr;
}

absl::StatusOr<VmcUsers> VmcUsers::Make(const VmcUserSettings& settings) {
  VmcUsers users(settings);
  for (const std::string& line : settings.devices) {
    const size_t equals = line.rfind('=');
    const std::string serial = line.substr(0, equals);
    Role role{settings.name, nullptr};
    std::string part = equals == std::string::npos ? "" : line.substr(equals + 1);
    if (absl::StartsWith(part, kPropPrefix)) {
      role.prop = part.substr(kPropPrefix.size());
      part = role.prop.empty() ? "" : "none";
    } else if (const size_t dot = part.rfind('.'); dot != std::string::npos) {
      role.user = part.substr(0, dot);
      part = part.substr(dot + 1);
    }
    role.part = FindPart(part);
    if (serial.empty() || role.user.empty() || (role.part == nullptr && part != "none")) {
      return absl::InvalidArgumentError(
          absl::StrCat("device \"", line,
                       "\" is not of the form SERIAL=ROLE or SERIAL=NAME.ROLE, with ROLE head, "
                       "left_hand, right_hand, hips, left_foot, right_foot or none, nor "
                       "SERIAL=prop:NAME"));
    }
    users.roles_[serial] = role;
  }
  return users;
}

VmcUsers::Role VmcUsers::RoleOf(const vmc::Performer::Device& device,
                                const std::optional<skel::Placement>& head) {
  const auto known = roles_.find(device.serial);
  if (known != roles_.end()) return known->second;
  Role role{settings_.name, nullptr};
  const std::string plain = Plain(device.serial);
  const bool controller = device.kind == vmc::DeviceKind::kController;
  const auto is = [&](absl::string_view hand, absl::string_view side) {
    return plain == hand || (controller && absl::StrContains(plain, side));
  };
  if (device.kind == vmc::DeviceKind::kHeadset || plain == "head") {
    role.part = &VmcUser::head;
  } else if (is("lefthand", "left")) {
    role.part = &VmcUser::left_hand;
  } else if (is("righthand", "right")) {
    role.part = &VmcUser::right_hand;
  } else if (controller) {
    const skel::Placement from = head.value_or(skel::Placement{});
    const float left = skel::Rotate(skel::Conjugate(from.turn), device.pose.at - from.at).x;
    role.part = left > 0 ? &VmcUser::left_hand : &VmcUser::right_hand;
  }
  if (roles_.size() < kMostRoles) roles_[device.serial] = role;
  return role;
}

skel::Placement VmcUsers::Placed(const skel::Placement& place) const {
  const skel::Quat turn =
      skel::FromAxisAngle({0, 1, 0}, static_cast<float>(settings_.turn_deg) * kDegree);
  const skel::Vec3 at{static_cast<float>(settings_.x_m), 0, static_cast<float>(settings_.z_m)};
  return {skel::Rotate(turn, place.at) + at, skel::Mul(turn, place.turn)};
}

VmcUser& VmcUsers::User(absl::string_view name, std::vector<VmcUser>& users) const {
  for (VmcUser& user : users) {
    if (user.name == name) return user;
  }
  users.emplace_back().name = std::string(name);
  return users.back();
}

std::vector<VmcUser> VmcUsers::At(const vmc::Performer& performer,
                                  const skel::Placement& avatar_head, double now_s) {
  const auto fresh = [&](double at_s) { return now_s - at_s < kStale_s; };
  std::optional<skel::Placement> head;
  for (const auto& device : performer.devices()) {
    if (device.kind == vmc::DeviceKind::kHeadset && !device.local && fresh(device.at_s)) {
      head = device.pose;
    }
  }
  std::vector<VmcUser> users;
  for (const auto& device : performer.devices()) {
    if (device.local || !fresh(device.at_s)) continue;
    const Role role = RoleOf(device, head);
    if (role.part != nullptr) User(role.user, users).*role.part = Placed(device.pose);
  }
  const auto& eye = performer.eye_target();
  if (eye && eye->enabled && fresh(eye->at_s)) {
    skel::Placement target{eye->target, {}};
    if (!settings_.eye_target_in_world) {
      const skel::Placement from = head.value_or(avatar_head);
      target.at = skel::Rotate(from.turn, eye->target) + from.at;
    }
    User(settings_.name, users).gaze = Placed(target).at;
  }
  mouth_.Step(MouthOpening(performer), now_s);
  for (VmcUser& user : users) user.speaks = user.name == settings_.name && mouth_.speaks();
  return users;
}

std::vector<VmcProp> VmcUsers::PropsAt(const vmc::Performer& performer, double now_s) const {
  std::vector<VmcProp> props;
  for (const auto& device : performer.devices()) {
    const auto role = roles_.find(device.serial);
    if (device.local || now_s - device.at_s >= kStale_s || role == roles_.end()) continue;
    if (!role->second.prop.empty()) props.push_back({role->second.prop, Placed(device.pose)});
  }
  return props;
}

}  // namespace posewire::a2f_source
