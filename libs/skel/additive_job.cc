#include "libs/skel/additive_job.h"

#include <cmath>

#include "libs/skel/job_check.h"
#include "libs/skel/kernels/kernels.h"

namespace posewire::skel {
namespace {

// Returns the fraction `w` of a rotation from identity.
Quat PartOf(Quat d, float w) { return Exp(Log(d) * w); }

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
  kernels::MakeAdditive(*this);
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
  if (all > 0 && all <= 1) {
    kernels::Add(delta, all, mask, out);
    return true;
  }
  // For negative weights and weights above 1.
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
