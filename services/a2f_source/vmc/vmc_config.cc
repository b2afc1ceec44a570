#include "services/a2f_source/vmc/vmc_config.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/service/address.h"

namespace posewire::a2f_source {
namespace {

using FaceBones = vmc::PoseReaderSettings::FaceBones;

absl::Status ReadPlace(absl::string_view text, VmcUserSettings& users) {
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  if (parts.size() == 3 && absl::SimpleAtod(parts[0], &users.x_m) &&
      absl::SimpleAtod(parts[1], &users.z_m) && absl::SimpleAtod(parts[2], &users.turn_deg)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is not of the form X,Z,TURN (metres, metres, degrees)"));
}

absl::Status CheckPlace(absl::string_view text) {
  VmcUserSettings users;
  return ReadPlace(text, users);
}

absl::Status CheckEvent(absl::string_view text) {
  return VmcEvents::Parse({std::string(text)}).status();
}

absl::Status CheckDevice(absl::string_view text) {
  return VmcUsers::Make({.devices = {std::string(text)}}).status();
}

}  // namespace

void VmcSourceConfig::Declare(service::Flags& flags) {
  flags.OnlyFor({"vmc"});
  flags.Group("VMC");
  flags.Add("performer", &performer,
            "Port of a performer (39540), for marionettes and assistants; none unless given.",
            {.value_name = "PORT", .check = service::CheckOptionalPort});
  flags.Add("hips-height", &hips_height_m,
            "Height of the sender's hips in its T-pose, metres; 0: computed from its legs.",
            {.min = 0, .max = 100});
  flags.Add("t-pose-first", &t_pose_first,
            "The sender begins in its T-pose, and its bones may be turned there (VRM 1).");
  flags.Add("face-bones", &face_bones,
            "When to use eye and jaw bones if there are expressions for the same.",
            {.choices = {"unless-shapes", "always", "never"}});
  flags.Add("user", &user, "Name of the user whose head and hands the devices track.");
  flags.Add(
      "device", &devices,
      "What a device tracks: SERIAL=head, left_hand, right_hand or none, or SERIAL=USER.head.",
      {.value_name = "SERIAL=ROLE", .check = CheckDevice});
  flags.Add("users-at", &users_at, "Position and turn of the devices' space in the stream's.",
            {.value_name = "X,Z,TURN", .check = CheckPlace});
  flags.Add("eye-target", &eye_target, "What eye targets are relative to: the head, or the world.",
            {.choices = {"head", "world"}});
  flags.Add("event", &events,
            "Fire an event of the graph: key:NAME=EVENT, button:, left:, right:, note:N, knob:N, "
            "shortcut: or option: likewise.",
            {.value_name = "WHAT=EVENT", .check = CheckEvent});
}

absl::StatusOr<VmcSessionSettings> VmcSourceConfig::Session(const LiveConfig& live,
                                                            const timecode::FrameRate& fps) const {
  VmcSessionSettings s;
  s.fps = fps;
  s.hold_s = live.hold_s;
  s.gone_s = live.gone_s;
  s.t_pose_first = t_pose_first;
  s.pose.sender_hips_height_m = static_cast<float>(hips_height_m);
  s.pose.mouth_close_jaw = static_cast<float>(live.mouth_close_jaw);
  s.pose.face_bones = face_bones == "always"  ? FaceBones::kAlways
                      : face_bones == "never" ? FaceBones::kNever
                                              : FaceBones::kUnlessShapes;
  s.users.name = user;
  s.users.devices = devices;
  s.users.eye_target_in_world = eye_target == "world";
  s.events = events;
  if (absl::Status place = ReadPlace(users_at, s.users); !place.ok()) return place;
  return s;
}

}  // namespace posewire::a2f_source
