#include "libs/skel/additive_job.h"

#include <cmath>

#include "libs/skel/job_check.h"

namespace posewire::skel {
namespace {

float Ratio(float a, float b) { return b != 0 ? a / b : 1; }

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

}  // namespace

absl::Status MakeAdditiveJob::Validate() const {
  if (absl::Status s = CheckPoseSize("pose", pose, out.joints, out.shapes); !s.ok()) return s;
  return CheckPoseSize("reference", reference, out.joints, out.shapes);
}

bool MakeAdditiveJob::Run() const {
  if (!Validate().ok()) return false;
  for (int j = 0; j < out.joints; ++j) TakeOut(*this, j);
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
  for (int j = 0; j < out.joints; ++j) {
    const float w = mask ? all * mask->joint(j) : all;
    if (w != 0) Add(*this, j, w);
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
