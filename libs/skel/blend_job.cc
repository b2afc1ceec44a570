#include "libs/skel/blend_job.h"

#include "libs/skel/job_check.h"

namespace posewire::skel {
namespace {

using Input = BlendJob::Input;
using Inputs = absl::Span<const Input>;

// Weighted mean of a vector component; false when no input that has it counts.
bool BlendVector(Inputs inputs, int j, const uint8_t* PoseView::*has,
                 Vec3 (PoseView::*value)(int) const, Vec3* out) {
  Vec3 sum;
  float total = 0;
  for (const Input& in : inputs) {
    if (!(in.weight > 0) || !(in.pose.*has)[j]) continue;
    sum = sum + (in.pose.*value)(j)*in.weight;
    total += in.weight;
  }
  if (total <= 0) return false;
  *out = {sum.x / total, sum.y / total, sum.z / total};
  return true;
}

bool BlendRotation(Inputs inputs, int j, Quat* out) {
  Quat first, sum{0, 0, 0, 0};
  bool any = false;
  for (const Input& in : inputs) {
    if (!(in.weight > 0) || !in.pose.has_r[j]) continue;
    const Quat q = in.pose.rotation(j);
    if (!any) first = q;
    any = true;
    const float w = Dot(first, q) < 0 ? -in.weight : in.weight;
    sum = {sum.w + w * q.w, sum.x + w * q.x, sum.y + w * q.y, sum.z + w * q.z};
  }
  if (!any) return false;
  *out = Normalized(sum);
  return true;
}

bool BlendShape(Inputs inputs, int s, float* out) {
  float sum = 0, total = 0;
  for (const Input& in : inputs) {
    if (!(in.weight > 0) || !in.pose.has_w[s]) continue;
    sum += in.pose.weights[s] * in.weight;
    total += in.weight;
  }
  if (total <= 0) return false;
  *out = sum / total;
  return true;
}

void BlendJoint(const BlendJob& job, int j) {
  const PoseView& below = job.below;
  const bool has_below = below.joints > 0;
  const PoseSpan& out = job.out;
  Vec3 v;
  Quat q;
  if (BlendVector(job.inputs, j, &PoseView::has_t, &PoseView::translation, &v)) {
    out.SetTranslation(j, v);
  } else if (has_below && below.has_t[j]) {
    out.SetTranslation(j, below.translation(j));
  } else {
    out.has_t[j] = 0;
  }
  if (BlendRotation(job.inputs, j, &q)) {
    out.SetRotation(j, q);
  } else if (has_below && below.has_r[j]) {
    out.SetRotation(j, below.rotation(j));
  } else {
    out.has_r[j] = 0;
  }
  if (BlendVector(job.inputs, j, &PoseView::has_s, &PoseView::scale, &v)) {
    out.SetScale(j, v);
  } else if (has_below && below.has_s[j]) {
    out.SetScale(j, below.scale(j));
  } else {
    out.has_s[j] = 0;
  }
}

}  // namespace

absl::Status BlendJob::Validate() const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PoseView& pose = inputs[i].pose;
    if (pose.joints == out.joints && pose.shapes == out.shapes) continue;
    return CheckPoseSize(absl::StrCat("inputs[", i, "]"), pose, out.joints, out.shapes);
  }
  if (below.joints == 0 && below.shapes == 0) return absl::OkStatus();
  return CheckPoseSize("below", below, out.joints, out.shapes);
}

bool BlendJob::Run() const {
  if (!Validate().ok()) return false;
  for (int j = 0; j < out.joints; ++j) BlendJoint(*this, j);
  for (int s = 0; s < out.shapes; ++s) {
    float w;
    if (BlendShape(inputs, s, &w)) {
      out.SetWeight(s, w);
    } else if (below.shapes > 0 && below.has_w[s]) {
      out.SetWeight(s, below.weights[s]);
    } else {
      out.has_w[s] = 0;
    }
  }
  return true;
}

}  // namespace posewire::skel
