#include "libs/mesh/skin_job.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/mesh/check_size.h"
#include "libs/mesh/dual_quat.h"

namespace posewire::mesh {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

absl::Status CheckIndices(absl::Span<const int> indices, size_t joints) {
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= 0 && static_cast<size_t>(indices[i]) < joints) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("indices[", i, "] is ", indices[i], ", expected 0 to ", joints, " - 1"));
  }
  return absl::OkStatus();
}

// The pairs of one point.
struct Pairs {
  absl::Span<const int> joint;
  absl::Span<const float> weight;
};

Pairs PairsOf(const SkinJob& job, size_t point) {
  const auto n = static_cast<size_t>(job.per_point);
  return {job.indices.subspan(point * n, n), job.weights.subspan(point * n, n)};
}

void RunLinear(const SkinJob& job) {
  const Affine to_bind = skel::NormalTransform(job.geom_bind);
  for (size_t i = 0; i < job.points.size(); ++i) {
    const Vec3 start = skel::TransformPoint(job.geom_bind, job.points[i]);
    const Pairs pairs = PairsOf(job, i);
    Vec3 p;
    for (size_t k = 0; k < pairs.joint.size(); ++k) {
      const float w = pairs.weight[k];
      if (w == 0) continue;
      p = p + skel::TransformPoint(job.transforms[static_cast<size_t>(pairs.joint[k])], start) * w;
    }
    if (!job.normals.empty()) {
      const Vec3 n = skel::TransformVector(to_bind, job.normals[i]);
      Vec3 sum;
      for (size_t k = 0; k < pairs.joint.size(); ++k) {
        if (pairs.weight[k] == 0) continue;
        const Affine turn =
            skel::NormalTransform(job.transforms[static_cast<size_t>(pairs.joint[k])]);
        sum = sum + skel::TransformVector(turn, n) * pairs.weight[k];
      }
      job.out_normals[i] = skel::Normalized(sum);
    }
    job.out_points[i] = p;
  }
}

Vec3 Move(const DualQuat& m, Vec3 p) {
  const Quat t = skel::Mul(m.dual, skel::Conjugate(m.real));
  return skel::Rotate(m.real, p) + Vec3{t.x, t.y, t.z} * 2;
}

void RunDual(const SkinJob& job) {
  std::vector<Factors> factors;
  factors.reserve(job.transforms.size());
  bool stretches = false;
  for (const Affine& m : job.transforms) {
    factors.push_back(Factor(m));
    stretches = stretches || factors.back().stretches;
  }
  const Affine to_bind = skel::NormalTransform(job.geom_bind);
  for (size_t i = 0; i < job.points.size(); ++i) {
    const Vec3 start = skel::TransformPoint(job.geom_bind, job.points[i]);
    const Pairs pairs = PairsOf(job, i);
    Vec3 p = start;
    if (stretches) {
      p = {};
      for (size_t k = 0; k < pairs.joint.size(); ++k) {
        const Factors& f = factors[static_cast<size_t>(pairs.joint[k])];
        p = p + skel::TransformPoint(f.stretch, start) * pairs.weight[k];
      }
    }
    const DualQuat motion = BlendMotions(factors, pairs.joint, pairs.weight);
    if (!job.normals.empty()) {
      const Vec3 n = skel::TransformVector(to_bind, job.normals[i]);
      job.out_normals[i] = skel::Normalized(skel::Rotate(motion.real, n));
    }
    job.out_points[i] = Move(motion, p);
  }
}

}  // namespace

absl::StatusOr<SkinningMethod> ParseSkinningMethod(absl::string_view token) {
  if (token == "classicLinear") return SkinningMethod::kClassicLinear;
  if (token == "dualQuaternion") return SkinningMethod::kDualQuaternion;
  return absl::InvalidArgumentError(absl::StrCat(
      "skinningMethod is \"", token, "\", expected \"classicLinear\" or \"dualQuaternion\""));
}

Affine SkinningTransform(const Affine& bind, const Affine& model) {
  const auto inverse = skel::Inverse(bind);
  return inverse ? skel::Mul(*inverse, model) : Affine{};
}

absl::Status SkinJob::Validate() const {
  if (per_point < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("per_point is ", per_point, ", expected at least 1"));
  }
  const size_t pairs = points.size() * static_cast<size_t>(per_point);
  for (const absl::Status& s :
       {CheckSize("indices", indices.size(), pairs), CheckSize("weights", weights.size(), pairs),
        CheckSize("out_points", out_points.size(), points.size()),
        CheckSize("normals", normals.size(), normals.empty() ? 0 : points.size()),
        CheckSize("out_normals", out_normals.size(), normals.size()),
        CheckIndices(indices, transforms.size())}) {
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status SkinJob::Run() const {
  if (absl::Status s = Validate(); !s.ok()) return s;
  if (method == SkinningMethod::kDualQuaternion) {
    RunDual(*this);
  } else {
    RunLinear(*this);
  }
  return absl::OkStatus();
}

absl::StatusOr<Affine> SkinRigid(absl::Span<const Affine> transforms, absl::Span<const int> indices,
                                 absl::Span<const float> weights, const Affine& geom_bind) {
  if (absl::Status s = CheckSize("weights", weights.size(), indices.size()); !s.ok()) return s;
  if (absl::Status s = CheckIndices(indices, transforms.size()); !s.ok()) return s;
  if (indices.size() == 1 && std::fabs(weights[0] - 1) < 1e-6f) {
    return skel::Mul(geom_bind, transforms[static_cast<size_t>(indices[0])]);
  }
  const auto skinned = [&](Vec3 p) {
    Vec3 out;
    for (size_t k = 0; k < indices.size(); ++k) {
      out = out + skel::TransformPoint(transforms[static_cast<size_t>(indices[k])], p) * weights[k];
    }
    return out;
  };
  const Vec3 origin = skinned(geom_bind.row[3]);
  Affine out;
  for (size_t r = 0; r < 3; ++r) {
    out.row[r] = skinned(geom_bind.row[3] + geom_bind.row[r]) - origin;
  }
  out.row[3] = origin;
  return out;
}

}  // namespace posewire::mesh
