// The arguments of each VMC message in order: one list for both reading and writing. Internal to
// libs/vmc.
//
// An `io` has Int, Number, Weight, Angle and Text for one argument each; Position, Vector and Pose
// for several; OptionalInt, OptionalText, OptionalCompositing and OptionalValue for arguments that
// only longer forms have. Reading sets the argument, writing leaves it unchanged.
#ifndef POSEWIRE_LIBS_VMC_MESSAGE_FIELDS_H_
#define POSEWIRE_LIBS_VMC_MESSAGE_FIELDS_H_

#include "libs/vmc/messages.h"

namespace posewire::vmc {

template <typename Io>
void Fields(Io& io, Ok& m) {
  io.Int(m.loaded);
  io.OptionalInt(m.calibration_state);
  io.OptionalInt(m.calibration_mode);
  io.OptionalInt(m.tracking_status);
}

template <typename Io>
void Fields(Io& io, Time& m) {
  io.Number(m.seconds);
}

template <typename Io>
void Fields(Io& io, RootPose& m) {
  io.Text(m.name);
  io.Pose(m.pose);
  io.OptionalCompositing(m.compositing);
}

template <typename Io>
void Fields(Io& io, BonePose& m) {
  io.Text(m.name);
  io.Pose(m.pose);
}

template <typename Io>
void Fields(Io& io, BlendValue& m) {
  io.Text(m.name);
  io.Weight(m.value);
}

template <typename Io>
void Fields(Io& io, CameraPose& m) {
  io.Text(m.name);
  io.Pose(m.pose);
  io.Angle(m.fov_deg);
}

template <typename Io>
void Fields(Io& io, ControllerInput& m) {
  io.Int(m.active);
  io.Text(m.name);
  io.Int(m.is_left);
  io.Int(m.is_touch);
  io.Int(m.is_axis);
  io.Vector(m.axis);
}

template <typename Io>
void Fields(Io& io, Key& m) {
  io.Int(m.active);
  io.Text(m.name);
  io.Int(m.keycode);
}

template <typename Io>
void Fields(Io& io, MidiNote& m) {
  io.Int(m.active);
  io.Int(m.channel);
  io.Int(m.note);
  io.Number(m.velocity);
}

template <typename Io>
void Fields(Io& io, MidiValue& m) {
  io.Int(m.knob);
  io.Number(m.value);
}

template <typename Io>
void Fields(Io& io, MidiBit& m) {
  io.Int(m.knob);
  io.Int(m.active);
}

template <typename Io>
void Fields(Io& io, DevicePose& m) {
  io.Text(m.serial);
  io.Pose(m.pose);
}

template <typename Io>
void Fields(Io& io, Receives& m) {
  io.Int(m.enable);
  io.Int(m.port);
  io.OptionalText(m.ip);
}

template <typename Io>
void Fields(Io& io, Light& m) {
  io.Text(m.name);
  io.Pose(m.pose);
  for (float& channel : m.color) io.Number(channel);
}

template <typename Io>
void Fields(Io& io, VrmFile& m) {
  io.Text(m.path);
  io.Text(m.title);
  io.OptionalText(m.hash);
}

template <typename Io>
void Fields(Io& io, RemoteAvatar& m) {
  io.Text(m.service);
  io.Text(m.json);
}

template <typename Io>
void Fields(Io& io, OptionText& m) {
  io.Text(m.text);
}

template <typename Io>
void Fields(Io& io, BackgroundColor& m) {
  for (float& channel : m.color) io.Number(channel);
}

template <typename Io>
void Fields(Io& io, WindowAttributes& m) {
  io.Int(m.is_top_most);
  io.Int(m.is_transparent);
  io.Int(m.click_through);
  io.Int(m.hide_border);
}

template <typename Io>
void Fields(Io& io, ConfigFile& m) {
  io.Text(m.path);
}

template <typename Io>
void Fields(Io& io, Through& m) {
  io.Text(m.text);
  io.OptionalValue(m.value);
}

template <typename Io>
void Fields(Io& io, SetPeriod& m) {
  io.Int(m.status);
  io.Int(m.root);
  io.Int(m.bone);
  io.Int(m.blend_shape);
  io.Int(m.camera);
  io.Int(m.devices);
}

template <typename Io>
void Fields(Io& io, SetEye& m) {
  io.Int(m.enable);
  io.Position(m.target);
}

template <typename Io>
void Fields(Io& io, SetResponse& m) {
  io.Text(m.text);
}

template <typename Io>
void Fields(Io& io, CalibrationExecute& m) {
  io.Int(m.mode);
}

template <typename Io>
void Fields(Io& io, SetConfig& m) {
  io.Text(m.path);
}

template <typename Io>
void Fields(Io& io, SetShortcut& m) {
  io.Text(m.name);
}

template <typename Io>
void Fields(Io&, BlendApply&) {}
template <typename Io>
void Fields(Io&, SetRequest&) {}
template <typename Io>
void Fields(Io&, CalibrationReady&) {}

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_MESSAGE_FIELDS_H_
