#include "libs/clip/clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace posewire::clip {
namespace {

// Nearer to a frame than this, in frames, is on it: n / fps computed in doubles.
constexpr double kOnFrame = 1e-6;

// Where between two frames a time lies.
struct Place {
  int from = 0, to = 0;
  float t = 0;
};

Place PlaceOf(double position, int frames, bool loops) {
  const double last = frames - 1;
  if (!(position > 0) && !loops) return {};
  if (loops) {
    position = std::fmod(position, frames);
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
// Computing SLERP", 2011): sin(t theta) / sin(theta). Eight terms are exact to float precision for
// cos >= kSeriesCos, and the loop over joints has no branch.
constexpr float kSeriesCos = 0.9f;
constexpr int kTerms = 8;

struct SeriesFactors {
  std::array<float, kTerms> c{};  // u_i t^2 - v_i
  float t = 0;

  explicit SeriesFactors(float at) : t(at) {
    for (int i = 1; i <= kTerms; ++i) {
      const float n = static_cast<float>(i);
      c[static_cast<size_t>(i - 1)] = at * at / (n * (2 * n + 1)) - n / (2 * n + 1);
    }
  }
  float At(float cos_minus_1) const {
    float f = 1;
    for (int i = kTerms - 1; i >= 0; --i) f = 1 + c[static_cast<size_t>(i)] * cos_minus_1 * f;
    return f * t;
  }
};

void SlerpRows(const skel::PoseView& a, const skel::PoseView& b, float t,
               const skel::PoseSpan& out) {
  const SeriesFactors fa(1 - t), fb(t);
  for (int j = 0; j < a.joints; ++j) {
    const float dot = a.qw[j] * b.qw[j] + a.qx[j] * b.qx[j] + a.qy[j] * b.qy[j] + a.qz[j] * b.qz[j];
    const float x = std::fabs(dot) - 1;
    const float wa = fa.At(x);
    const float wb = std::copysign(fb.At(x), dot);
    const float w = wa * a.qw[j] + wb * b.qw[j], i = wa * a.qx[j] + wb * b.qx[j];
    const float k = wa * a.qy[j] + wb * b.qy[j], l = wa * a.qz[j] + wb * b.qz[j];
    const float inv = 1 / std::sqrt(w * w + i * i + k * k + l * l);
    out.qw[j] = w * inv, out.qx[j] = i * inv, out.qy[j] = k * inv, out.qz[j] = l * inv;
  }
  // Wide turns between two frames are rare.
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

Clip::Clip(std::string name, std::shared_ptr<const skel::Rig> rig, timecode::FrameRate rate,
           std::vector<skel::Pose> frames, bool loops)
    : name_(std::move(name)),
      rig_(std::move(rig)),
      rate_(rate),
      frames_(std::move(frames)),
      loops_(loops) {}

double Clip::duration_s() const {
  if (frames_.empty()) return 0;
  return rate_.SecondsAt(frames() - (loops_ ? 0 : 1));
}

void Clip::Sample(double t_s, const skel::PoseSpan& out) const {
  if (frames_.empty()) {
    out.ClearPresence();
    return;
  }
  const Place place = PlaceOf(t_s * rate_.hz(), frames(), loops_);
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
