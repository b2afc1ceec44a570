// The current state of a performer: the latest value of everything it has sent.
#ifndef POSEWIRE_LIBS_VMC_PERFORMER_H_
#define POSEWIRE_LIBS_VMC_PERFORMER_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/model_place.h"
#include "libs/vmc/bones.h"
#include "libs/vmc/coordinates.h"
#include "libs/vmc/expressions.h"
#include "libs/vmc/messages.h"

namespace posewire::vmc {

// A Unity camera looks along its Z; the rotation is that of the camera's own axes, mirrored.
struct PerformerCamera {
  std::string name;
  skel::Placement pose;
  float fov_deg = 0;  // vertical
  double at_s = 0;
};

struct PerformerEyeTarget {
  bool enabled = false;
  skel::Vec3 target;  // in the world before VMC 2.8, relative to the head since then
  double at_s = 0;
};

// Receives messages in order of arrival, and stores the latest value of everything with its time of
// arrival. VMC has no frames, so a value that is not sent again stays valid. All output is in our
// space. Times are in seconds of any clock the caller uses.
//
// Expressions accumulate until Blend/Apply, and take effect together; a name not among them keeps
// its value. An OK with a model after one without, and a different VRM, clear the expressions and
// bones of the previous model.
//
// Allocates only for a new device, camera or text. One thread at a time.
class Performer {
 public:
  struct Bone {
    bool known = false;
    skel::Placement pose;  // in its parent's space; the position contains the sender's bone length
    double at_s = 0;
  };
  struct Device {
    DeviceKind kind = DeviceKind::kTracker;
    bool local = false;
    std::string serial;
    skel::Placement pose;
    double at_s = 0;
  };
  using CameraState = PerformerCamera;
  using EyeTarget = PerformerEyeTarget;
  struct Counts {
    uint64_t unknown_bones = 0;   // includes LastBone
    uint64_t unknown_shapes = 0;  // expressions that are neither ARKit's nor presets
    uint64_t applies = 0;
    uint64_t devices_over_limit = 0;
  };
  static constexpr size_t kMaxDevices = 64;

  // Ignores keys, MIDI, controller input, settings and similar messages: the caller handles them.
  void Take(const Message& message, double now_s);
  // Resets everything except the counts.
  void Reset();

  // Whether any message was received; and the time of the latest bone, root or expression.
  bool heard() const { return heard_; }
  double last_motion_s() const { return last_motion_s_; }
  // False after an OK that reports no loaded model; true before any OK is received.
  bool loaded() const { return !ok_ || ok_->loaded != 0; }
  const std::optional<Ok>& ok() const { return ok_; }

  const Bone& bone(int b) const { return bones_[static_cast<size_t>(b)]; }
  bool any_bone() const { return known_bones_ > 0; }
  const std::optional<skel::Placement>& root() const { return root_; }
  absl::Span<const Device> devices() const { return devices_; }
  const std::optional<CameraState>& camera() const { return camera_; }
  const std::optional<EyeTarget>& eye_target() const { return eye_target_; }
  // Title of the sender's loaded model.
  const std::string& model_title() const { return model_title_; }

  // Expressions in effect: as applied, with ARKit's mouthClose. `known` has a bit for each that was
  // ever applied.
  const ArkitWeights& arkit() const { return arkit_.applied; }
  const std::bitset<kArkitShapes>& arkit_known() const { return arkit_.known; }
  const PresetWeights& presets() const { return presets_.applied; }
  const std::bitset<kPresets>& presets_known() const { return presets_.known; }
  // Whether the shapes for gaze, and for opening the jaw, were ever different from 0. If so, bones
  // for the same motion would apply it twice.
  bool eye_shapes_moved() const { return eye_shapes_moved_; }
  bool jaw_shapes_moved() const { return jaw_shapes_moved_; }
  bool any_expression() const { return arkit_.known.any() || presets_.known.any(); }

  const Counts& counts() const { return counts_; }
  // Unknown names of bones, except LastBone, and the first unknown expression, shortened to 64
  // bytes. Of several bones, the first kMostNames.
  static constexpr size_t kMostNames = 8;
  absl::Span<const std::string> unknown_bones() const { return unknown_bones_; }
  const std::string& unknown_shape() const { return unknown_shape_; }
  // The mapping of the sender's bone names.
  const SenderBones& names() const { return names_; }

 private:
  template <size_t N>
  struct Group {
    std::array<float, N> applied{}, waiting{};
    std::bitset<N> known, waits;
    void Set(int i, float w) {
      waiting[static_cast<size_t>(i)] = w;
      waits.set(static_cast<size_t>(i));
    }
    void Apply() {
      for (size_t i = 0; i < N; ++i) {
        if (waits[i]) applied[i] = waiting[i];
      }
      known |= waits;
      waits.reset();
    }
  };

  void On(const Ok& ok, double now_s);
  void On(const Time& time, double now_s);
  void On(const RootPose& root, double now_s);
  void On(const BonePose& bone, double now_s);
  void On(const BlendValue& value, double now_s);
  void On(const BlendApply& apply, double now_s);
  void On(const CameraPose& camera, double now_s);
  void On(const DevicePose& device, double now_s);
  void On(const SetEye& eye, double now_s);
  void On(const VrmFile& vrm, double now_s);
  template <typename Other>
  void On(const Other&, double) {}
  void ForgetModel();
  void SeeMovedShapes();

  std::vector<std::string> unknown_bones_;
  std::string unknown_shape_;
  SenderBones names_;
  bool heard_ = false;
  double last_motion_s_ = 0;
  std::optional<Ok> ok_;
  std::array<Bone, kBones> bones_{};
  int known_bones_ = 0;
  std::optional<skel::Placement> root_;
  Group<kArkitShapes> arkit_;
  Group<kPresets> presets_;
  bool eye_shapes_moved_ = false, jaw_shapes_moved_ = false;
  std::vector<Device> devices_;
  std::optional<CameraState> camera_;
  std::optional<EyeTarget> eye_target_;
  std::string model_title_, model_path_;
  Counts counts_;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_PERFORMER_H_
