#include "services/a2f_source/vmc/vmc_config.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/service/address.h"
#include "libs/vmc/text_form.h"

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

absl::Status CheckVariable(absl::string_view text) {
  return VmcVariables::Parse({std::string(text)}).status();
}

absl::Status CheckCharacter(absl::string_view text) {
  return VmcCharacters::Parse({std::string(text)}).status();
}

absl::Status CheckMessage(absl::string_view text) { return vmc::EncodeLine(text).status(); }

absl::Status CheckPeriod(absl::string_view text) {
  return VmcAsker::Make({.period = std::string(text)}).status();
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
      "What a device tracks: SERIAL=head, left_hand, right_hand, hips, left_foot, right_foot or "
      "none, SERIAL=USER.head, or a thing of the scene: SERIAL=prop:NAME.",
      {.value_name = "SERIAL=ROLE", .check = CheckDevice});
  flags.Add("users-at", &users_at, "Position and turn of the devices' space in the stream's.",
            {.value_name = "X,Z,TURN", .check = CheckPlace});
  flags.Add("eye-target", &eye_target, "What eye targets are relative to: the head, or the world.",
            {.choices = {"head", "world"}});
  flags.Add("event", &events,
            "Fire an event of the graph: key:NAME=EVENT, button:, left:, right:, note:N, knob:N, "
            "shortcut:, option:, calibration:, tracking: or calibrate: likewise.",
            {.value_name = "WHAT=EVENT", .check = CheckEvent});
  flags.Add("variable", &variables,
            "Set a variable of the graph: knob:N=VARIABLE, tracking, calibration or loaded.",
            {.value_name = "WHAT=VARIABLE", .check = CheckVariable});
  flags.Add("model", &characters,
            "Whom a model of the sender stands for: TITLE=CHARACTER, or SERVICE:TEXT=CHARACTER for "
            "an avatar of an online service.",
            {.value_name = "MODEL=CHARACTER", .check = CheckCharacter});
  flags.Add(
      "ask", &ask,
      "Ask a performer at this address, at VMC's port 39540 unless it names one, for its model "
      "each time it appears.",
      {.value_name = "HOST"});
  flags.Add("ask-period", &asker.period,
            "Ask it for every n-th frame of status, root, bones, expressions, camera and devices.",
            {.value_name = "S,R,B,E,C,D", .check = CheckPeriod});
  flags.Add("ask-calibration", &asker.calibration,
            "Ask it to calibrate: normal, or for mixed reality by hand (mr) or by the floor.",
            {.choices = {"none", "normal", "mr", "floor"}});
  flags.Add("ask-calibration-after-s", &asker.calibrate_after_s,
            "Time between getting ready and calibrating, seconds.", {.min = 0, .max = 3600});
  flags.Add("ask-message", &asker.messages,
            "Send it a message: \"/VMC/Ext/Set/Eye 1 0 0 1\", \"/VMC/Ext/Set/Shortcut NAME\" ...",
            {.value_name = "MESSAGE", .check = CheckMessage});
}

absl::StatusOr<VmcSessionSettings> VmcSourceConfig::Session(const LiveConfig& live,
                                                            const timecode::FrameRate& fps) const {
  VmcSessionSettings s;
  live.Apply(fps, s);
  s.t_pose_first = t_pose_first;
  s.pose.sender_hips_height_m = static_cast<float>(hips_height_m);
  s.pose.face_bones = face_bones == "always"  ? FaceBones::kAlways
                      : face_bones == "never" ? FaceBones::kNever
                                              : FaceBones::kUnlessShapes;
  s.users.name = user;
  s.users.devices = devices;
  s.users.eye_target_in_world = eye_target == "world";
  s.events = events;
  s.variables = variables;
  s.characters = characters;
  if (absl::Status place = ReadPlace(users_at, s.users); !place.ok()) return place;
  return s;
}

}  // namespace posewire::a2f_source
