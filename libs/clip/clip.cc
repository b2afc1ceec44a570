#include "libs/clip/clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "libs/skel/pose_hash.h"

namespace posewire::clip {
namespace {

// A time closer to a frame than this, in frames, counts as the frame: n / fps computed in doubles.
constexpr double kOnFrame = 1e-6;

// The frames before and after a time.
struct Place {
  int from = 0, to = 0;
  float t = 0;
};

Place WhereAt(double position, int frames, bool loops) {
  const double last = frames - 1;
  if (!(position > 0) && !loops) return {};
  if (loops) {
    position = std::fmod(position, frames);
    if (std::isnan(position)) return {};
    if (position < 0) position += frames;
  } else if (position >= last) {
    return {frames - 1, frames - 1, 0};
  }
  double whole = std::floor(position);
  double t = position - whole;
  if (t > 1 - kOnFrame) whole += 1, t = 0;
  if (t < kOnFrame) t = 0;
  const int from = static_cast<int>(whole) % frames;
  return {from, t == 0 ? from : (from + 1) % frames, static_cast<float>(t)};
}

void LerpRow(const float* a, const float* b, float t, int n, float* out) {
  for (int i = 0; i < n; ++i) out[i] = a[i] + (b[i] - a[i]) * t;
}

// Slerp's two factors as a power series in (cos - 1) (Eberly, "A Fast and Accurate Algorithm for
// Computing SLERP", 2011): sin(t theta) / sin(theta). Six terms are exact to float precision for
// cos >= kSeriesCos, and the loop over joints has no branch and no call.
constexpr float kSeriesCos = 0.9f;
constexpr int kTerms = 6;

struct SeriesFactors {
  float c[kTerms];  // u_i t^2 - v_i
  float t = 0;

  explicit SeriesFactors(float at) : t(at) {
    for (int i = 0; i < kTerms; ++i) {
      const float n = static_cast<float>(i + 1);
      c[i] = at * at / (n * (2 * n + 1)) - n / (2 * n + 1);
    }
  }
  float At(float cos_minus_1) const {
    float f = 1;
    for (int i = kTerms - 1; i >= 0; --i) f = 1 + c[i] * cos_minus_1 * f;
    return f * t;
  }
};

// The rows of a pose's rotations. Rows of different poses never overlap.
struct ConstRows {
  const float* __restrict w, * __restrict x, * __restrict y, * __restrict z;
};
struct Rows {
  float* __restrict w, * __restrict x, * __restrict y, * __restrict z;
};

void SlerpNear(int n, const ConstRows a, const ConstRows b, float t, const Rows out) {
  const SeriesFactors fa(1 - t), fb(t);
  for (int j = 0; j < n; ++j) {
    const float dot = a.w[j] * b.w[j] + a.x[j] * b.x[j] + a.y[j] * b.y[j] + a.z[j] * b.z[j];
    const float wa = fa.At(std::fabs(dot) - 1);
    const float wb = std::copysign(fb.At(std::fabs(dot) - 1), dot);
    const float qw = wa * a.w[j] + wb * b.w[j], qx = wa * a.x[j] + wb * b.x[j];
    const float qy = wa * a.y[j] + wb * b.y[j], qz = wa * a.z[j] + wb * b.z[j];
    // One step of normalisation, which suffices for rounding errors.
    const float inv = 1.5f - 0.5f * (qw * qw + qx * qx + qy * qy + qz * qz);
    out.w[j] = qw * inv, out.x[j] = qx * inv, out.y[j] = qy * inv, out.z[j] = qz * inv;
  }
}

void SlerpRows(const skel::PoseView& a, const skel::PoseView& b, float t,
               const skel::PoseSpan& out) {
  SlerpNear(a.joints, {a.qw, a.qx, a.qy, a.qz}, {b.qw, b.qx, b.qy, b.qz}, t,
            {out.qw, out.qx, out.qy, out.qz});
  // Large rotations between two frames are rare.
  for (int j = 0; j < a.joints; ++j) {
    if (std::fabs(Dot(a.rotation(j), b.rotation(j))) >= kSeriesCos) continue;
    const skel::Quat q = Normalized(Slerp(a.rotation(j), b.rotation(j), t));
    out.qw[j] = q.w, out.qx[j] = q.x, out.qy[j] = q.y, out.qz[j] = q.z;
  }
}

void CopyPresence(const skel::PoseView& from, const skel::PoseSpan& to) {
  const auto joints = static_cast<size_t>(from.joints);
  std::memcpy(to.has_t, from.has_t, joints);
  std::memcpy(to.has_r, from.has_r, joints);
  std::memcpy(to.has_s, from.has_s, joints);
  std::memcpy(to.has_w, from.has_w, static_cast<size_t>(from.shapes));
}

}  // namespace

const char* NameOf(ClipKind kind) {
  switch (kind) {
    case ClipKind::kGesture:
      return "gesture";
    case ClipKind::kFacialGesture:
      return "facial_gesture";
    case ClipKind::kPosture:
      return "posture";
    case ClipKind::kLayer:
      return "layer";
  }
  return "";
}

Clip::Clip(std::string name, std::shared_ptr<const skel::Rig> rig, timecode::FrameRate rate,
           std::vector<skel::Pose> frames, bool loops, ClipKind kind)
    : name_(std::move(name)),
      rig_(std::move(rig)),
      rate_(rate),
      frames_(std::move(frames)),
      loops_(loops),
      kind_(kind) {}

Clip::Clip(std::string name, std::shared_ptr<const skel::Rig> rig, timecode::FrameRate rate,
           std::shared_ptr<const PackedPoses> packed, bool loops, ClipKind kind, uint64_t hash)
    : name_(std::move(name)),
      rig_(std::move(rig)),
      rate_(rate),
      packed_(std::move(packed)),
      loops_(loops),
      kind_(kind),
      hash_(hash) {}

double Clip::duration_s() const {
  if (frames() == 0) return 0;
  return rate_.SecondsAt(frames() - (loops_ ? 0 : 1));
}

uint64_t Clip::content_hash() const {
  uint64_t hash = hash_.load(std::memory_order_relaxed);
  if (hash != 0 || frames() == 0) return hash;
  hash = skel::kPoseHashSeed;
  skel::Pose pose(frame(0).joints, frame(0).shapes);
  for (int i = 0; i < frames(); ++i) {
    CopyFrame(i, pose.span());
    hash = skel::PoseHash(pose.view(), hash);
  }
  hash_.store(hash, std::memory_order_relaxed);
  return hash;
}

size_t Clip::bytes() const {
  size_t bytes = packed_ ? sizeof(PackedPoses) + packed_->bytes() : 0;
  for (const skel::Pose& pose : frames_) bytes += sizeof(pose) + pose.bytes();
  return bytes;
}

void Clip::CopyFrame(int i, const skel::PoseSpan& out) const {
  if (packed_) {
    CopyStill(out);
    UnpackFrame(*packed_, i, out);
    return;
  }
  out.CopyFrom(frame(i));
  CopyPresence(frame(0), out);
}

// Copies the values that are the same in all frames, and presence.
void Clip::CopyStill(const skel::PoseSpan& out) const {
  const skel::PoseView still = frame(0);
  const PackedPoses& packed = *packed_;
  const auto joints = static_cast<size_t>(still.joints) * sizeof(float);
  if (packed.still_moves) {
    std::memcpy(out.tx, still.tx, joints);
    std::memcpy(out.ty, still.ty, joints);
    std::memcpy(out.tz, still.tz, joints);
  }
  if (packed.still_turns) {
    std::memcpy(out.qw, still.qw, joints);
    std::memcpy(out.qx, still.qx, joints);
    std::memcpy(out.qy, still.qy, joints);
    std::memcpy(out.qz, still.qz, joints);
  }
  if (packed.still_scales) {
    std::memcpy(out.sx, still.sx, joints);
    std::memcpy(out.sy, still.sy, joints);
    std::memcpy(out.sz, still.sz, joints);
  }
  if (packed.still_weights) {
    std::memcpy(out.weights, still.weights, static_cast<size_t>(still.shapes) * sizeof(float));
  }
  CopyPresence(still, out);
}

void Clip::Sample(double t_s, const skel::PoseSpan& out) const {
  if (frames() == 0) {
    out.ClearPresence();
    return;
  }
  const Place place = WhereAt(t_s * rate_.hz(), frames(), loops_);
  if (packed_) {
    CopyStill(out);
    if (place.t == 0) {
      UnpackFrame(*packed_, place.from, out);
    } else {
      UnpackBetween(*packed_, place.from, place.to, place.t, out);
    }
    return;
  }
  const skel::PoseView a = frame(place.from), b = frame(place.to);
  if (place.t == 0) {
    out.CopyFrom(a);
  } else {
    const std::array<const float*, 6> from = {a.tx, a.ty, a.tz, a.sx, a.sy, a.sz};
    const std::array<const float*, 6> to = {b.tx, b.ty, b.tz, b.sx, b.sy, b.sz};
    const std::array<float*, 6> rows = {out.tx, out.ty, out.tz, out.sx, out.sy, out.sz};
    for (size_t i = 0; i < rows.size(); ++i) LerpRow(from[i], to[i], place.t, a.joints, rows[i]);
    LerpRow(a.weights, b.weights, place.t, a.shapes, out.weights);
    SlerpRows(a, b, place.t, out);
  }
  CopyPresence(frame(0), out);
}

}  // namespace posewire::clip
