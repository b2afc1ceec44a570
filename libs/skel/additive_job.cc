#include "libs/skel/additive_job.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "libs/skel/job_check.h"

namespace posewire::skel {
namespace {

float Ratio(float a, float b) { return b != 0 ? a / b : 1; }

// Joints are taken by eights, where they have rotations alone, as most do. Presence is 0 or 1.
constexpr int kBlock = 8;

uint64_t Flags(const uint8_t* has) {
  uint64_t flags;
  std::memcpy(&flags, has, sizeof(flags));
  return flags;
}

struct Rotations {
  float w[kBlock], x[kBlock], y[kBlock], z[kBlock];

  Rotations(const PoseView& p, int j) {
    std::memcpy(w, p.qw + j, sizeof(w));
    std::memcpy(x, p.qx + j, sizeof(x));
    std::memcpy(y, p.qy + j, sizeof(y));
    std::memcpy(z, p.qz + j, sizeof(z));
  }
  void Write(const PoseSpan& p, int j) const {
    std::memcpy(p.qw + j, w, sizeof(w));
    std::memcpy(p.qx + j, x, sizeof(x));
    std::memcpy(p.qy + j, y, sizeof(y));
    std::memcpy(p.qz + j, z, sizeof(z));
  }
};

// b = conjugate(a) b when `back`, else a b.
void Multiply(const Rotations& a, bool back, Rotations& b) {
  const float s = back ? -1.0f : 1.0f;
  for (int i = 0; i < kBlock; ++i) {
    const float pw = a.w[i], px = s * a.x[i], py = s * a.y[i], pz = s * a.z[i];
    const float qw = b.w[i], qx = b.x[i], qy = b.y[i], qz = b.z[i];
    b.w[i] = pw * qw - px * qx - py * qy - pz * qz;
    b.x[i] = pw * qx + px * qw + py * qz - pz * qy;
    b.y[i] = pw * qy - px * qz + py * qw + pz * qx;
    b.z[i] = pw * qz + px * qy - py * qx + pz * qw;
  }
}

// False when one is far from unit length; else two steps of Newton's bring all there.
bool Normalize(Rotations& q) {
  float inv[kBlock], far = 0;
  for (int i = 0; i < kBlock; ++i) {
    const float n = q.w[i] * q.w[i] + q.x[i] * q.x[i] + q.y[i] * q.y[i] + q.z[i] * q.z[i];
    const float off = (n - 1) * (n - 1);
    far = far > off ? far : off;
    const float once = 1.5f - 0.5f * n;
    inv[i] = once * (1.5f - 0.5f * n * once * once);
  }
  for (int i = 0; i < kBlock; ++i) {
    q.w[i] *= inv[i], q.x[i] *= inv[i], q.y[i] *= inv[i], q.z[i] *= inv[i];
  }
  return far < 1e-4f;
}

void TakeOut(const MakeAdditiveJob& job, int j) {
  const PoseView &a = job.pose, &b = job.reference;
  const PoseSpan& out = job.out;
  if (a.has_t[j] && b.has_t[j]) {
    out.SetTranslation(j, a.translation(j) - b.translation(j));
  } else {
    out.has_t[j] = 0;
  }
  if (a.has_r[j] && b.has_r[j]) {
    out.SetRotation(j, Mul(Conjugate(b.rotation(j)), a.rotation(j)));
  } else {
    out.has_r[j] = 0;
  }
  if (a.has_s[j] && b.has_s[j]) {
    const Vec3 s = a.scale(j), r = b.scale(j);
    out.SetScale(j, {Ratio(s.x, r.x), Ratio(s.y, r.y), Ratio(s.z, r.z)});
  } else {
    out.has_s[j] = 0;
  }
}

// The part `w` of a rotation from identity. Small turns, as most are, need no trigonometry: within
// 0.4 radians the normalised lerp is off by less than 0.0003.
Quat PartOf(Quat d, float w) {
  constexpr float kSmallTurn = 0.98007f;  // cos(0.2)
  if (w == 1) return d;
  if (d.w > kSmallTurn && w > 0 && w < 1) return Nlerp({}, d, w);
  return Exp(Log(d) * w);
}

void Add(const AdditiveJob& job, int j, float w) {
  const PoseView &a = job.below, &d = job.delta;
  const PoseSpan& out = job.out;
  if (a.has_t[j] && d.has_t[j]) {
    out.SetTranslation(j, a.translation(j) + d.translation(j) * w);
  }
  if (a.has_r[j] && d.has_r[j]) {
    out.SetRotation(j, Normalized(Mul(a.rotation(j), PartOf(d.rotation(j), w))));
  }
  if (a.has_s[j] && d.has_s[j]) {
    const Vec3 s = a.scale(j), f = Lerp({1, 1, 1}, d.scale(j), w);
    out.SetScale(j, {s.x * f.x, s.y * f.y, s.z * f.z});
  }
}

// TakeOut of kBlock joints from j on, when they have rotations alone.
bool TakeOutBlock(const MakeAdditiveJob& job, int j) {
  const PoseView &a = job.pose, &b = job.reference;
  if (((Flags(a.has_t + j) & Flags(b.has_t + j)) | (Flags(a.has_s + j) & Flags(b.has_s + j))) !=
      0) {
    return false;
  }
  const uint64_t both = Flags(a.has_r + j) & Flags(b.has_r + j);
  if (both != 0) {
    Rotations delta(a, j);
    Multiply(Rotations(b, j), /*back=*/true, delta);
    delta.Write(job.out, j);
  }
  std::memcpy(job.out.has_r + j, &both, kBlock);
  std::memset(job.out.has_t + j, 0, kBlock);
  std::memset(job.out.has_s + j, 0, kBlock);
  return true;
}

// Add of all of kBlock joints from j on, when they have rotations alone. `out` is `below` so far.
bool AddBlock(const AdditiveJob& job, int j) {
  const PoseView &a = job.below, &d = job.delta;
  if (((Flags(a.has_t + j) & Flags(d.has_t + j)) | (Flags(a.has_s + j) & Flags(d.has_s + j))) !=
      0) {
    return false;
  }
  if ((Flags(a.has_r + j) & Flags(d.has_r + j)) == 0) return true;
  const Rotations below(a, j);
  Rotations sum(d, j);
  Multiply(below, /*back=*/false, sum);
  if (!Normalize(sum)) return false;
  for (int i = 0; i < kBlock; ++i) {
    if (a.has_r[j + i] != 0 && d.has_r[j + i] != 0) continue;
    sum.w[i] = below.w[i], sum.x[i] = below.x[i], sum.y[i] = below.y[i], sum.z[i] = below.z[i];
  }
  sum.Write(job.out, j);
  return true;
}

}  // namespace

absl::Status MakeAdditiveJob::Validate() const {
  if (absl::Status s = CheckPoseSize("pose", pose, out.joints, out.shapes); !s.ok()) return s;
  return CheckPoseSize("reference", reference, out.joints, out.shapes);
}

bool MakeAdditiveJob::Run() const {
  if (!Validate().ok()) return false;
  for (int j = 0; j < out.joints;) {
    if (j + kBlock <= out.joints && TakeOutBlock(*this, j)) {
      j += kBlock;
    } else {
      TakeOut(*this, j++);
    }
  }
  for (int s = 0; s < out.shapes; ++s) {
    if (pose.has_w[s] && reference.has_w[s]) {
      out.SetWeight(s, pose.weights[s] - reference.weights[s]);
    } else {
      out.has_w[s] = 0;
    }
  }
  return true;
}

absl::Status AdditiveJob::Validate() const {
  if (absl::Status s = CheckPoseSize("below", below, out.joints, out.shapes); !s.ok()) return s;
  if (absl::Status s = CheckPoseSize("delta", delta, out.joints, out.shapes); !s.ok()) return s;
  return CheckMaskSize(mask, out.joints, out.shapes);
}

bool AdditiveJob::Run() const {
  if (!Validate().ok()) return false;
  if (out.tx != below.tx) out.CopyFrom(below);
  const float all = std::isfinite(weight) ? weight : 0;
  if (all == 0) return true;
  for (int j = 0; j < out.joints;) {
    if (mask == nullptr && all == 1 && j + kBlock <= out.joints && AddBlock(*this, j)) {
      j += kBlock;
      continue;
    }
    const float w = mask ? all * mask->joint(j) : all;
    if (w != 0) Add(*this, j, w);
    ++j;
  }
  for (int s = 0; s < out.shapes; ++s) {
    const float w = mask ? all * mask->shape(s) : all;
    if (w != 0 && below.has_w[s] && delta.has_w[s]) {
      out.SetWeight(s, below.weights[s] + delta.weights[s] * w);
    }
  }
  return true;
}

}  // namespace posewire::skel
