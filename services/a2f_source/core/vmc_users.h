// Turns headsets, controllers, trackers and eye targets of VMC into people: heads, hands and gaze,
// and whether they speak.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_USERS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_USERS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/model_place.h"
#include "libs/vmc/performer.h"
#include "services/a2f_source/core/mouth_watch.h"

namespace posewire::a2f_source {

// One person, in the space of the stream: metres, right-handed, Y up.
struct VmcUser {
  std::string name;
  std::optional<skel::Placement> head, left_hand, right_hand, hips, left_foot, right_foot;
  std::optional<skel::Vec3> gaze;
  bool speaks = false;
};

// A thing of the scene that a tracker moves, in the space of the stream.
struct VmcProp {
  std::string name;
  skel::Placement place;
};

struct VmcUserSettings {
  std::string name = "vmc";
  // SERIAL=ROLE or SERIAL=NAME.ROLE, with ROLE head, left_hand, right_hand, hips, left_foot,
  // right_foot or none; or SERIAL=prop:NAME. Devices not listed: a headset is the head. A
  // controller is a hand, by "left" or "right" in its serial, else by the side of the head on which
  // it was first seen. A tracker is what its serial contains ("Head", "LeftHand", "RightHand"),
  // else nothing.
  std::vector<std::string> devices = {};
  // Position of the devices' space in that of the stream: X, Z in metres and a rotation in degrees
  // about the vertical axis.
  double x_m = 0, z_m = 0, turn_deg = 0;
  // The eye target is a position in the world (VMC before 2.8), not one relative to the head.
  bool eye_target_in_world = false;
};

// A device that has not moved for a second counts as absent. One thread.
class VmcUsers {
 public:
  // INVALID_ARGUMENT for a malformed line.
  static absl::StatusOr<VmcUsers> Make(const VmcUserSettings& settings);

  // Returns the people who are present. `avatar_head` replaces a head without a device. The
  // performer's mouth belongs to the user named in the settings, and determines whether they speak
  // if this is called at least 20 times a second.
  std::vector<VmcUser> At(const vmc::Performer& performer, const skel::Placement& avatar_head,
                          double now_s);
  // Returns the props that trackers move now.
  std::vector<VmcProp> PropsAt(const vmc::Performer& performer, double now_s) const;

 private:
  using Part = std::optional<skel::Placement> VmcUser::*;
  struct Role {
    std::string user;
    Part part = nullptr;
    std::string prop = {};  // if not empty, the device is this and no part of a user
  };
  static Part FindPart(absl::string_view name);
  explicit VmcUsers(VmcUserSettings settings) : settings_(std::move(settings)) {}
  Role RoleOf(const vmc::Performer::Device& device, const std::optional<skel::Placement>& head);
  skel::Placement Placed(const skel::Placement& place) const;
  VmcUser& User(absl::string_view name, std::vector<VmcUser>& users) const;

  VmcUserSettings settings_;
  std::map<std::string, Role> roles_;  // by serial: configured, or detected once
  MouthWatch mouth_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_USERS_H_
