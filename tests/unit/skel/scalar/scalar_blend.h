// The blend as its definition says it, element by element: what the kernel must agree with, and
// what it is timed against.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_BLEND_H_
#define POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_BLEND_H_

#include "libs/skel/blend_job.h"

namespace posewire::skel::scalar {

inline float JointWeight(const BlendJob::Input& in, int j) {
  return in.mask != nullptr ? in.weight * in.mask->joint(j) : in.weight;
}
inline float ShapeWeight(const BlendJob::Input& in, int s) {
  return in.mask != nullptr ? in.weight * in.mask->shape(s) : in.weight;
}

// The weighted mean of a vector component; false when no input that has it counts.
inline bool BlendVector(const BlendJob& job, int j, const uint8_t* PoseView::*has,
                        Vec3 (PoseView::*value)(int) const, Vec3* out) {
  Vec3 sum;
  float total = 0;
  for (const BlendJob::Input& in : job.inputs) {
    const float w = JointWeight(in, j);
    if (!(w > 0) || !(in.pose.*has)[j]) continue;
    sum = sum + (in.pose.*value)(j)*w;
    total += w;
  }
  if (total <= 0) return false;
  *out = {sum.x / total, sum.y / total, sum.z / total};
  return true;
}

inline bool BlendRotation(const BlendJob& job, int j, Quat* out) {
  Quat first, sum{0, 0, 0, 0};
  bool any = false;
  for (const BlendJob::Input& in : job.inputs) {
    const float weight = JointWeight(in, j);
    if (!(weight > 0) || !in.pose.has_r[j]) continue;
    const Quat q = in.pose.rotation(j);
    if (!any) first = q;
    any = true;
    const float w = Dot(first, q) < 0 ? -weight : weight;
    sum = {sum.w + w * q.w, sum.x + w * q.x, sum.y + w * q.y, sum.z + w * q.z};
  }
  if (!any) return false;
  *out = Normalized(sum);
  return true;
}

inline bool BlendShape(const BlendJob& job, int s, float* out) {
  float sum = 0, total = 0;
  for (const BlendJob::Input& in : job.inputs) {
    const float w = ShapeWeight(in, s);
    if (!(w > 0) || !in.pose.has_w[s]) continue;
    sum += in.pose.weights[s] * w;
    total += w;
  }
  if (total <= 0) return false;
  *out = sum / total;
  return true;
}

inline void BlendJoint(const BlendJob& job, int j) {
  const PoseView& below = job.below;
  const bool has_below = below.joints > 0;
  Vec3 v;
  Quat q;
  if (BlendVector(job, j, &PoseView::has_t, &PoseView::translation, &v)) {
    job.out.SetTranslation(j, v);
  } else if (has_below && below.has_t[j]) {
    job.out.SetTranslation(j, below.translation(j));
  } else {
    job.out.has_t[j] = 0;
  }
  if (BlendRotation(job, j, &q)) {
    job.out.SetRotation(j, q);
  } else if (has_below && below.has_r[j]) {
    job.out.SetRotation(j, below.rotation(j));
  } else {
    job.out.has_r[j] = 0;
  }
  if (BlendVector(job, j, &PoseView::has_s, &PoseView::scale, &v)) {
    job.out.SetScale(j, v);
  } else if (has_below && below.has_s[j]) {
    job.out.SetScale(j, below.scale(j));
  } else {
    job.out.has_s[j] = 0;
  }
}

inline void Blend(const BlendJob& job) {
  for (int j = 0; j < job.out.joints; ++j) BlendJoint(job, j);
  for (int s = 0; s < job.out.shapes; ++s) {
    float w;
    if (BlendShape(job, s, &w)) {
      job.out.SetWeight(s, w);
    } else if (job.below.shapes > 0 && job.below.has_w[s]) {
      job.out.SetWeight(s, job.below.weights[s]);
    } else {
      job.out.has_w[s] = 0;
    }
  }
}

}  // namespace posewire::skel::scalar

#endif  // POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_BLEND_H_
