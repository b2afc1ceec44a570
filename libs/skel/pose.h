// A pose of joints and blend shapes, as a structure of arrays with presence.
//
// A Pose owns its memory; PoseSpan and PoseView borrow it. Each component is one row of `joints`
// floats (weights: `shapes`); rows are aligned to 64 bytes. Joint transforms are parent-local and
// include the rest pose; rotations have unit length. Presence is one byte (0 or 1) per joint for
// translation, rotation and scale, and per shape: a value whose presence is 0 is undefined and must
// not be read.
//
// As thread-safe as a std::vector. Only the constructors and Resize allocate.
#ifndef POSEWIRE_LIBS_SKEL_POSE_H_
#define POSEWIRE_LIBS_SKEL_POSE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "libs/skel/math.h"

namespace posewire::skel {

// The transform components that have presence, in the order of the presence rows.
enum class Component : uint8_t { kTranslation = 0, kRotation = 1, kScale = 2 };

template <typename F, typename B>
struct BasicPoseSpan {
  int joints = 0;
  int shapes = 0;
  F *tx = nullptr, *ty = nullptr, *tz = nullptr;
  F *qw = nullptr, *qx = nullptr, *qy = nullptr, *qz = nullptr;
  F *sx = nullptr, *sy = nullptr, *sz = nullptr;
  F* weights = nullptr;
  B *has_t = nullptr, *has_r = nullptr, *has_s = nullptr;
  B* has_w = nullptr;

  Vec3 translation(int j) const { return {tx[j], ty[j], tz[j]}; }
  Quat rotation(int j) const { return {qw[j], qx[j], qy[j], qz[j]}; }
  Vec3 scale(int j) const { return {sx[j], sy[j], sz[j]}; }
};

// Read-only view of a pose.
using PoseView = BasicPoseSpan<const float, const uint8_t>;

// A writable pose in its caller's memory.
struct PoseSpan : BasicPoseSpan<float, uint8_t> {
  // Each setter also marks the value present.
  void SetTranslation(int j, Vec3 v) const {
    tx[j] = v.x, ty[j] = v.y, tz[j] = v.z;
    has_t[j] = 1;
  }
  void SetRotation(int j, Quat q) const {
    qw[j] = q.w, qx[j] = q.x, qy[j] = q.y, qz[j] = q.z;
    has_r[j] = 1;
  }
  void SetScale(int j, Vec3 v) const {
    sx[j] = v.x, sy[j] = v.y, sz[j] = v.z;
    has_s[j] = 1;
  }
  void SetWeight(int s, float w) const {
    weights[s] = w;
    has_w[s] = 1;
  }
  // Marks everything absent.
  void ClearPresence() const {
    std::memset(has_t, 0, static_cast<size_t>(joints));
    std::memset(has_r, 0, static_cast<size_t>(joints));
    std::memset(has_s, 0, static_cast<size_t>(joints));
    std::memset(has_w, 0, static_cast<size_t>(shapes));
  }
  // Copies values and presence from a pose of the same size.
  void CopyFrom(const PoseView& other) const;
  operator PoseView() const {  // NOLINT(google-explicit-constructor)
    return {joints, shapes, tx, ty,      tz,    qw,    qx,    qy,   qz,
            sx,     sy,     sz, weights, has_t, has_r, has_s, has_w};
  }
};

class Pose {
 public:
  Pose() = default;
  // Neutral values: translations 0, rotations identity, scales 1, weights 0; all absent.
  Pose(int joints, int shapes) { Resize(joints, shapes); }
  Pose(const Pose& other);
  Pose& operator=(const Pose& other);
  Pose(Pose&&) noexcept = default;
  Pose& operator=(Pose&&) noexcept = default;

  void Resize(int joints, int shapes);

  int joints() const { return span_.joints; }
  int shapes() const { return span_.shapes; }
  const PoseSpan& span() { return span_; }
  PoseView view() const { return span_; }
  // Memory used by the values.
  size_t bytes() const { return floats_.capacity() * sizeof(float) + presence_.capacity(); }

 private:
  std::vector<float> floats_;
  std::vector<uint8_t> presence_;
  PoseSpan span_;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_POSE_H_
