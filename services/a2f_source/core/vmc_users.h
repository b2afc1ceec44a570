// Headsets, controllers, trackers and eye targets of VMC as people: heads, hands and gaze, and
// whether they speak.
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
  std::optional<skel::Placement> head, left_hand, right_hand;
  std::optional<skel::Vec3> gaze;
  bool speaks = false;
  bool empty() const { return !head && !left_hand && !right_hand && !gaze; }
};

struct VmcUserSettings {
  std::string name = "vmc";
  // SERIAL=ROLE or SERIAL=NAME.ROLE, with ROLE head, left_hand, right_hand or none. Without one: a
  // headset is the head, a controller a hand (by "left" or "right" in its serial, else by the side
  // of the head on which it was seen first), a tracker what its serial says ("Head", "LeftHand",
  // "RightHand"), else nothing.
  std::vector<std::string> devices = {};
  // Where the space of the devices lies in that of the stream: X, Z in metres and a turn in degrees
  // about the vertical axis.
  double x_m = 0, z_m = 0, turn_deg = 0;
  // The eye target is a place in the world (VMC before 2.8), not one seen from the head.
  bool eye_target_in_world = false;
};

// Devices that did not move for a second are not there. One thread.
class VmcUsers {
 public:
  // INVALID_ARGUMENT for a line of another form.
  static absl::StatusOr<VmcUsers> Make(const VmcUserSettings& settings);

  // Who is there now. `avatar_head` stands in for a head that no device tells. The performer's
  // mouth is that of the user of whom the settings tell; called 20 times a second or more, it says
  // when they speak.
  std::vector<VmcUser> At(const vmc::Performer& performer, const skel::Placement& avatar_head,
                          double now_s);

 private:
  enum class Part { kNone, kHead, kLeftHand, kRightHand };
  struct Role {
    std::string user;
    Part part = Part::kNone;
  };
  explicit VmcUsers(VmcUserSettings settings) : settings_(std::move(settings)) {}
  Role RoleOf(const vmc::Performer::Device& device, const std::optional<skel::Placement>& head);
  skel::Placement Placed(const skel::Placement& place) const;
  VmcUser& User(absl::string_view name, std::vector<VmcUser>& users) const;

  VmcUserSettings settings_;
  std::map<std::string, Role> roles_;  // by serial: told, or once found
  MouthWatch mouth_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_USERS_H_
