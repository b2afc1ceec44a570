// Differences and sums of poses as their definition says them, element by element: what the kernels
// must agree with, and what they are timed against.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_ADDITIVE_H_
#define POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_ADDITIVE_H_

#include "libs/skel/additive_job.h"

namespace posewire::skel::scalar {

inline float Ratio(float a, float b) { return b != 0 ? a / b : 1; }

inline void TakeOut(const MakeAdditiveJob& job, int j) {
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

inline Quat PartOf(Quat d, float w) { return w == 1 ? d : Exp(Log(d) * w); }

inline void Add(const AdditiveJob& job, int j, float w) {
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

inline void MakeAdditive(const MakeAdditiveJob& job) {
  for (int j = 0; j < job.out.joints; ++j) TakeOut(job, j);
  for (int s = 0; s < job.out.shapes; ++s) {
    if (job.pose.has_w[s] && job.reference.has_w[s]) {
      job.out.SetWeight(s, job.pose.weights[s] - job.reference.weights[s]);
    } else {
      job.out.has_w[s] = 0;
    }
  }
}

inline void Additive(const AdditiveJob& job) {
  job.out.CopyFrom(job.below);
  for (int j = 0; j < job.out.joints; ++j) {
    const float w = job.mask ? job.weight * job.mask->joint(j) : job.weight;
    if (w != 0) Add(job, j, w);
  }
  for (int s = 0; s < job.out.shapes; ++s) {
    const float w = job.mask ? job.weight * job.mask->shape(s) : job.weight;
    if (w != 0 && job.below.has_w[s] && job.delta.has_w[s]) {
      job.out.SetWeight(s, job.below.weights[s] + job.delta.weights[s] * w);
    }
  }
}

}  // namespace posewire::skel::scalar

#endif  // POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_ADDITIVE_H_
