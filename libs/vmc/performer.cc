#include "libs/vmc/performer.h"

#include <algorithm>
#include <cmath>

namespace posewire::vmc {
namespace {

// Shortens text, so that copies reuse memory.
absl::string_view Short(absl::string_view name) { return name.substr(0, 64); }

void Assign(absl::string_view from, std::string& to) { to.assign(from.data(), from.size()); }

// Larger than the noise of a face at rest.
bool Moved(float weight) { return std::abs(weight) > 0.01f; }

}  // namespace

void Performer::Take(const Message& message, double now_s) {
  heard_ = true;
  std::visit([&](const auto& m) { On(m, now_s); }, message);
}

void Performer::Reset() {
  const Counts counts = counts_;
  *this = Performer();
  counts_ = counts;
}

void Performer::ForgetModel() {
  bones_ = {};
  known_bones_ = 0;
  root_.reset();
  arkit_ = {};
  presets_ = {};
  eye_shapes_moved_ = jaw_shapes_moved_ = false;
}

void Performer::SeeMovedShapes() {
  constexpr size_t kEyeLooks[] = {1, 2, 3, 4, 8, 9, 10, 11};  // eyeLook... in ArkitNames
  for (const size_t s : kEyeLooks)
    eye_shapes_moved_ = eye_shapes_moved_ || Moved(arkit_.applied[s]);
  jaw_shapes_moved_ = jaw_shapes_moved_ || Moved(arkit_.applied[kJawOpen]);
}

void Performer::On(const Ok& ok, double) {
  if (ok.loaded != 0 && !loaded()) ForgetModel();
  ok_ = ok;
}

void Performer::On(const Time&, double) {}

void Performer::On(const RootPose& root, double now_s) {
  root_ = PlaceOfRoot(root);
  last_motion_s_ = now_s;
}

void Performer::On(const BonePose& bone, double now_s) {
  names_.See(bone.name);
  const int b = names_.Find(bone.name);
  if (b < 0) {
    ++counts_.unknown_bones;
    const absl::string_view name = Short(bone.name);
    if (name != "LastBone" && unknown_bones_.size() < kMostNames &&
        std::find(unknown_bones_.begin(), unknown_bones_.end(), name) == unknown_bones_.end()) {
      unknown_bones_.emplace_back(name);
    }
    return;
  }
  Bone& kept = bones_[static_cast<size_t>(b)];
  if (!kept.known) ++known_bones_;
  kept = {true, FromUnity(bone.pose), now_s};
  last_motion_s_ = now_s;
}

void Performer::On(const BlendValue& value, double now_s) {
  const ExpressionId id = FindExpression(value.name);
  if (id.arkit >= 0) {
    arkit_.Set(id.arkit, value.value);
  } else if (id.preset >= 0) {
    presets_.Set(id.preset, value.value);
  } else {
    ++counts_.unknown_shapes;
    if (unknown_shape_.empty()) Assign(Short(value.name), unknown_shape_);
    return;
  }
  last_motion_s_ = now_s;
}

void Performer::On(const BlendApply&, double) {
  arkit_.Apply();
  presets_.Apply();
  SeeMovedShapes();
  ++counts_.applies;
}

void Performer::On(const CameraPose& camera, double now_s) {
  if (!camera_) camera_.emplace();
  Assign(camera.name, camera_->name);
  camera_->pose = FromUnity(camera.pose);
  camera_->fov_deg = camera.fov_deg;
  camera_->at_s = now_s;
}

void Performer::On(const DevicePose& device, double now_s) {
  auto kept = std::find_if(devices_.begin(), devices_.end(), [&](const Device& d) {
    return d.kind == device.kind && d.local == device.local && d.serial == device.serial;
  });
  if (kept == devices_.end()) {
    if (devices_.size() >= kMaxDevices) {
      ++counts_.devices_over_limit;
      return;
    }
    kept = devices_.emplace(devices_.end());
    kept->kind = device.kind;
    kept->local = device.local;
    Assign(device.serial, kept->serial);
  }
  kept->pose = FromUnity(device.pose);
  kept->at_s = now_s;
}

void Performer::On(const SetEye& eye, double now_s) {
  eye_target_ = {eye.enable != 0, MirrorX(eye.target), now_s};
}

void Performer::On(const VrmFile& vrm, double) {
  const bool had_one = !model_title_.empty() || !model_path_.empty();
  if (vrm.title == model_title_ && vrm.path == model_path_) return;
  if (had_one) ForgetModel();
  Assign(vrm.title, model_title_);
  Assign(vrm.path, model_path_);
}

}  // namespace posewire::vmc
