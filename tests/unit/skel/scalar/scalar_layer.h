// The layer as its definition says it, element by element: what the kernel must agree with, and
// what it is timed against.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_LAYER_H_
#define POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_LAYER_H_

#include "libs/skel/job_check.h"
#include "libs/skel/layer_job.h"
#include "tests/unit/skel/scalar/scalar_slerp.h"

namespace posewire::skel::scalar {

// Which of the two values an element takes, or a mix.
enum class Take { kNothing, kBelow, kLayer, kMix };

inline Take Choose(bool below, bool layer, float w) {
  if (!layer || !(w > 0)) return below ? Take::kBelow : Take::kNothing;
  if (!below || w >= 1) return Take::kLayer;
  return Take::kMix;
}

inline Quat Mix(LayerJob::Rotations how, Quat a, Quat b, float t) {
  return how == LayerJob::Rotations::kSlerp ? scalar::SlerpBySines(a, b, t) : Nlerp(a, b, t);
}

inline void LayJoint(const LayerJob& job, int j, float w) {
  const PoseView &a = job.below, &b = job.layer;
  const PoseSpan& out = job.out;
  switch (Choose(a.has_t[j], b.has_t[j], w)) {
    case Take::kNothing:
      out.has_t[j] = 0;
      break;
    case Take::kBelow:
      out.SetTranslation(j, a.translation(j));
      break;
    case Take::kLayer:
      out.SetTranslation(j, b.translation(j));
      break;
    case Take::kMix:
      out.SetTranslation(j, Lerp(a.translation(j), b.translation(j), w));
      break;
  }
  switch (Choose(a.has_r[j], b.has_r[j], w)) {
    case Take::kNothing:
      out.has_r[j] = 0;
      break;
    case Take::kBelow:
      out.SetRotation(j, a.rotation(j));
      break;
    case Take::kLayer:
      out.SetRotation(j, b.rotation(j));
      break;
    case Take::kMix:
      out.SetRotation(j, Mix(job.rotations, a.rotation(j), b.rotation(j), w));
      break;
  }
  switch (Choose(a.has_s[j], b.has_s[j], w)) {
    case Take::kNothing:
      out.has_s[j] = 0;
      break;
    case Take::kBelow:
      out.SetScale(j, a.scale(j));
      break;
    case Take::kLayer:
      out.SetScale(j, b.scale(j));
      break;
    case Take::kMix:
      out.SetScale(j, Lerp(a.scale(j), b.scale(j), w));
      break;
  }
}

inline void LayShape(const LayerJob& job, int s, float w) {
  const float a = job.below.weights[s], b = job.layer.weights[s];
  switch (Choose(job.below.has_w[s], job.layer.has_w[s], w)) {
    case Take::kNothing:
      job.out.has_w[s] = 0;
      break;
    case Take::kBelow:
      job.out.SetWeight(s, a);
      break;
    case Take::kLayer:
      job.out.SetWeight(s, b);
      break;
    case Take::kMix:
      job.out.SetWeight(s, a + (b - a) * w);
      break;
  }
}

inline void Layer(const LayerJob& job) {
  const float all = ClampWeight(job.weight);
  for (int j = 0; j < job.out.joints; ++j) {
    LayJoint(job, j, job.mask ? all * job.mask->joint(j) : all);
  }
  for (int s = 0; s < job.out.shapes; ++s) {
    LayShape(job, s, job.mask ? all * job.mask->shape(s) : all);
  }
}

}  // namespace posewire::skel::scalar

#endif  // POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_LAYER_H_
