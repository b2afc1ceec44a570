// The messages of the Virtual Motion Capture protocol (VMC) up to version 3.1, as on the wire:
// messages from a performer to a marionette, and from marionettes and assistants to a performer.
// https://protocol.vmc.info
//
// Text is borrowed: in a received message, it points into the datagram. Poses are in Unity's space
// (coordinates.h converts it), metres, seconds and degrees.
#ifndef POSEWIRE_LIBS_VMC_MESSAGES_H_
#define POSEWIRE_LIBS_VMC_MESSAGES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

#include "absl/strings/string_view.h"
#include "libs/skel/math.h"

namespace posewire::vmc {

// A position and rotation in Unity's left-handed space: X the avatar's right, Y up, Z its front. On
// the wire the real part of the quaternion is last.
struct UnityPose {
  skel::Vec3 position;
  skel::Quat rotation;
};

// /VMC/Ext/OK. Longer forms add values; the first absent value ends the message.
struct Ok {
  int32_t loaded = 0;                        // 1: a model is loaded and its bones follow
  std::optional<int32_t> calibration_state;  // 0 none, 1 waiting, 2 in progress, 3 calibrated
  std::optional<int32_t> calibration_mode;   // 0 normal, 1 mixed reality by hand, 2 by floor
  std::optional<int32_t> tracking_status;    // 1 good, 0 bad
};

// /VMC/Ext/T: the sender's own clock. A float loses resolution over time, so it cannot be used as
// media time.
struct Time {
  float seconds = 0;
};

// For showing the avatar on top of a picture of the performer.
struct RootCompositing {
  skel::Vec3 scale{1, 1, 1}, offset;
};

// /VMC/Ext/Root/Pos: the root of the model.
struct RootPose {
  using Compositing = RootCompositing;
  absl::string_view name;
  UnityPose pose;
  std::optional<Compositing> compositing;
};

// /VMC/Ext/Bone/Pos: a bone by its name in Unity's HumanBodyBones, in its parent's space.
struct BonePose {
  absl::string_view name;
  UnityPose pose;
};

// /VMC/Ext/Blend/Val, which takes effect at the next /VMC/Ext/Blend/Apply.
struct BlendValue {
  absl::string_view name;
  float value = 0;
};
struct BlendApply {};

// /VMC/Ext/Cam: the field of view is vertical.
struct CameraPose {
  absl::string_view name;
  UnityPose pose;
  float fov_deg = 0;
};

// /VMC/Ext/Con: a button, a touch or an axis of a controller. `active`: 1 pressed, 0 released, 2
// moved.
struct ControllerInput {
  int32_t active = 0;
  absl::string_view name;
  int32_t is_left = 0, is_touch = 0, is_axis = 0;
  skel::Vec3 axis;
};

// /VMC/Ext/Key
struct Key {
  int32_t active = 0;
  absl::string_view name;
  int32_t keycode = 0;
};

// /VMC/Ext/Midi/Note, /VMC/Ext/Midi/CC/Val and /VMC/Ext/Midi/CC/Bit
struct MidiNote {
  int32_t active = 0, channel = 0, note = 0;
  float velocity = 0;
};
struct MidiValue {
  int32_t knob = 0;
  float value = 0;
};
struct MidiBit {
  int32_t knob = 0, active = 0;
};

// /VMC/Ext/Hmd/Pos, /VMC/Ext/Con/Pos and /VMC/Ext/Tra/Pos. Each also exists with the suffix /Local:
// in the tracking system's space, and not scaled to the avatar.
enum class DeviceKind : uint8_t { kHeadset, kController, kTracker };
struct DevicePose {
  DeviceKind kind = DeviceKind::kTracker;
  bool local = false;
  absl::string_view serial;
  UnityPose pose;
};

// /VMC/Ext/Rcv: whether the performer listens, and on which address.
struct Receives {
  int32_t enable = 0, port = 0;
  std::optional<absl::string_view> ip;
};

// /VMC/Ext/Light: a directional light; red, green, blue and alpha.
struct Light {
  absl::string_view name;
  UnityPose pose;
  std::array<float, 4> color{};
};

// /VMC/Ext/VRM. The path is on the sender's machine: never open it without permission.
struct VrmFile {
  absl::string_view path, title;
  std::optional<absl::string_view> hash;
};

// /VMC/Ext/Remote
struct RemoteAvatar {
  absl::string_view service, json;
};

// /VMC/Ext/Opt
struct OptionText {
  absl::string_view text;
};

// /VMC/Ext/Setting/Color and /VMC/Ext/Setting/Win
struct BackgroundColor {
  std::array<float, 4> color{};
};
struct WindowAttributes {
  int32_t is_top_most = 0, is_transparent = 0, click_through = 0, hide_border = 0;
};

// /VMC/Ext/Config: the settings file that the performer has loaded.
struct ConfigFile {
  absl::string_view path;
};

// /VMC/Thru/NAME/NAME: private to an assistant and its peer.
struct Through {
  absl::string_view address;
  absl::string_view text;
  std::variant<std::monostate, float, int32_t> value;
};

// Messages to a performer. /VMC/Ext/Set/Period: each kind is sent with every n-th frame.
struct SetPeriod {
  int32_t status = 1, root = 1, bone = 1, blend_shape = 1, camera = 1, devices = 1;
};
// /VMC/Ext/Set/Eye: since 2.8 the target is relative to the head, before that in the world. The
// message does not contain the version.
struct SetEye {
  int32_t enable = 0;
  skel::Vec3 target;
};
// /VMC/Ext/Set/Req: requests all messages that are sent only rarely.
struct SetRequest {};
// /VMC/Ext/Set/Res
struct SetResponse {
  absl::string_view text;
};
// /VMC/Ext/Set/Calib/Ready and /VMC/Ext/Set/Calib/Exec
struct CalibrationReady {};
struct CalibrationExecute {
  int32_t mode = 0;
};
// /VMC/Ext/Set/Config
struct SetConfig {
  absl::string_view path;
};
// /VMC/Ext/Set/Shortcut
struct SetShortcut {
  absl::string_view name;
};

using Message =
    std::variant<Ok, Time, RootPose, BonePose, BlendValue, BlendApply, CameraPose, ControllerInput,
                 Key, MidiNote, MidiValue, MidiBit, DevicePose, Receives, Light, VrmFile,
                 RemoteAvatar, OptionText, BackgroundColor, WindowAttributes, ConfigFile, Through,
                 SetPeriod, SetEye, SetRequest, SetResponse, CalibrationReady, CalibrationExecute,
                 SetConfig, SetShortcut>;

// Returns the OSC address of a message, such as "/VMC/Ext/OK".
absl::string_view AddressOf(const Message& message);

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_MESSAGES_H_
