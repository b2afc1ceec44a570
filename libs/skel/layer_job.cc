#include "libs/skel/layer_job.h"

#include "absl/strings/str_cat.h"
#include "libs/skel/job_check.h"

namespace posewire::skel {
namespace {

// Which of the two values an element takes, or a mix.
enum class Take { kNothing, kBelow, kLayer, kMix };

Take Choose(bool below, bool layer, float w) {
  if (!layer || !(w > 0)) return below ? Take::kBelow : Take::kNothing;
  if (!below || w >= 1) return Take::kLayer;
  return Take::kMix;
}

Quat Mix(LayerJob::Rotations how, Quat a, Quat b, float t) {
  return how == LayerJob::Rotations::kSlerp ? Slerp(a, b, t) : Nlerp(a, b, t);
}

void LayJoint(const LayerJob& job, int j, float w) {
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

void LayShape(const LayerJob& job, int s, float w) {
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

}  // namespace

absl::Status LayerJob::Validate() const {
  if (absl::Status s = CheckPoseSize("below", below, out.joints, out.shapes); !s.ok()) return s;
  if (absl::Status s = CheckPoseSize("layer", layer, out.joints, out.shapes); !s.ok()) return s;
  return CheckMaskSize(mask, out.joints, out.shapes);
}

bool LayerJob::Run() const {
  if (!Validate().ok()) return false;
  const float all = ClampWeight(weight);
  for (int j = 0; j < out.joints; ++j) LayJoint(*this, j, mask ? all * mask->joint(j) : all);
  for (int s = 0; s < out.shapes; ++s) LayShape(*this, s, mask ? all * mask->shape(s) : all);
  return true;
}

}  // namespace posewire::skel
