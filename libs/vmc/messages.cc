#include "libs/vmc/messages.h"

namespace posewire::vmc {
namespace {

struct Address {
  absl::string_view operator()(const Ok&) const { return "/VMC/Ext/OK"; }
  absl::string_view operator()(const Time&) const { return "/VMC/Ext/T"; }
  absl::string_view operator()(const RootPose&) const { return "/VMC/Ext/Root/Pos"; }
  absl::string_view operator()(const BonePose&) const { return "/VMC/Ext/Bone/Pos"; }
  absl::string_view operator()(const BlendValue&) const { return "/VMC/Ext/Blend/Val"; }
  absl::string_view operator()(const BlendApply&) const { return "/VMC/Ext/Blend/Apply"; }
  absl::string_view operator()(const CameraPose&) const { return "/VMC/Ext/Cam"; }
  absl::string_view operator()(const ControllerInput&) const { return "/VMC/Ext/Con"; }
  absl::string_view operator()(const Key&) const { return "/VMC/Ext/Key"; }
  absl::string_view operator()(const MidiNote&) const { return "/VMC/Ext/Midi/Note"; }
  absl::string_view operator()(const MidiValue&) const { return "/VMC/Ext/Midi/CC/Val"; }
  absl::string_view operator()(const MidiBit&) const { return "/VMC/Ext/Midi/CC/Bit"; }
  absl::string_view operator()(const DevicePose& device) const {
    switch (device.kind) {
      case DeviceKind::kHeadset:
        return device.local ? "/VMC/Ext/Hmd/Pos/Local" : "/VMC/Ext/Hmd/Pos";
      case DeviceKind::kController:
        return device.local ? "/VMC/Ext/Con/Pos/Local" : "/VMC/Ext/Con/Pos";
      case DeviceKind::kTracker:
        break;
    }
    return device.local ? "/VMC/Ext/Tra/Pos/Local" : "/VMC/Ext/Tra/Pos";
  }
  absl::string_view operator()(const Receives&) const { return "/VMC/Ext/Rcv"; }
  absl::string_view operator()(const Light&) const { return "/VMC/Ext/Light"; }
  absl::string_view operator()(const VrmFile&) const { return "/VMC/Ext/VRM"; }
  absl::string_view operator()(const RemoteAvatar&) const { return "/VMC/Ext/Remote"; }
  absl::string_view operator()(const OptionText&) const { return "/VMC/Ext/Opt"; }
  absl::string_view operator()(const BackgroundColor&) const { return "/VMC/Ext/Setting/Color"; }
  absl::string_view operator()(const WindowAttributes&) const { return "/VMC/Ext/Setting/Win"; }
  absl::string_view operator()(const ConfigFile&) const { return "/VMC/Ext/Config"; }
  absl::string_view operator()(const Through& through) const { return through.address; }
  absl::string_view operator()(const SetPeriod&) const { return "/VMC/Ext/Set/Period"; }
  absl::string_view operator()(const SetEye&) const { return "/VMC/Ext/Set/Eye"; }
  absl::string_view operator()(const SetRequest&) const { return "/VMC/Ext/Set/Req"; }
  absl::string_view operator()(const SetResponse&) const { return "/VMC/Ext/Set/Res"; }
  absl::string_view operator()(const CalibrationReady&) const { return "/VMC/Ext/Set/Calib/Ready"; }
  absl::string_view operator()(const CalibrationExecute&) const {
    return "/VMC/Ext/Set/Calib/Exec";
  }
  absl::string_view operator()(const SetConfig&) const { return "/VMC/Ext/Set/Config"; }
  absl::string_view operator()(const SetShortcut&) const { return "/VMC/Ext/Set/Shortcut"; }
};

}  // namespace

absl::string_view AddressOf(const Message& message) { return std::visit(Address(), message); }

}  // namespace posewire::vmc
