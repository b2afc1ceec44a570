#include "libs/mesh/offsets.h"

#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "libs/mesh/check_size.h"
#include "libs/mesh/dual_quat.h"

namespace posewire::mesh {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

// Floats keep seven digits, and a character's points must be restored to five.
constexpr double kMostCondition = 200;

// The inverse of the upper three rows, in doubles, because S of a bent joint is far from a
// rotation.
struct Inverse3 {
  std::array<std::array<double, 3>, 3> m{};
  double determinant = 0, condition = 0;

  explicit Inverse3(const Affine& s) {
    const std::array<std::array<double, 3>, 3> a = {{{s.row[0].x, s.row[0].y, s.row[0].z},
                                                     {s.row[1].x, s.row[1].y, s.row[1].z},
                                                     {s.row[2].x, s.row[2].y, s.row[2].z}}};
    double size = 0, inverse_size = 0;
    for (size_t r = 0; r < 3; ++r) {
      const size_t r1 = (r + 1) % 3, r2 = (r + 2) % 3;
      for (size_t c = 0; c < 3; ++c) {
        const size_t c1 = (c + 1) % 3, c2 = (c + 2) % 3;
        m[c][r] = a[r1][c1] * a[r2][c2] - a[r1][c2] * a[r2][c1];
        size += a[r][c] * a[r][c];
        inverse_size += m[c][r] * m[c][r];
      }
    }
    determinant = a[0][0] * m[0][0] + a[0][1] * m[1][0] + a[0][2] * m[2][0];
    condition = std::sqrt(size * inverse_size) / std::fabs(determinant);
  }

  bool usable() const { return determinant != 0 && condition <= kMostCondition; }
};

// A bound on the condition that needs no inverse: with singular values a, b, c, the sum of squares
// of ab, bc and ca is at most a third of the square of the sum of theirs. Half of the allowed
// value, because it is in floats; most points need no more.
bool SurelyUsable(const Affine& s) {
  const float size =
      skel::Dot(s.row[0], s.row[0]) + skel::Dot(s.row[1], s.row[1]) + skel::Dot(s.row[2], s.row[2]);
  const float determinant = skel::Dot(s.row[0], skel::Cross(s.row[1], s.row[2]));
  constexpr auto kMost = static_cast<float>(kMostCondition * kMostCondition / 4 * 3);
  return size * size * size < kMost * determinant * determinant;
}

Affine Rigid(const DualQuat& m) {
  const Quat t = skel::Mul(m.dual, skel::Conjugate(m.real));
  return skel::FromTrs(Vec3{t.x, t.y, t.z} * 2, m.real, {1, 1, 1});
}

// Returns the sum of weight times part, for the parts of one point's joints.
template <typename Part>
Affine Sum(absl::Span<const int> joints, absl::Span<const float> weights, const Part& part) {
  Affine sum{{Vec3{}, Vec3{}, Vec3{}, Vec3{}}};
  for (size_t k = 0; k < joints.size(); ++k) {
    if (weights[k] == 0) continue;
    const Affine& m = part(static_cast<size_t>(joints[k]));
    for (size_t r = 0; r < 4; ++r) sum.row[r] = sum.row[r] + m.row[r] * weights[k];
  }
  return sum;
}

}  // namespace

absl::Status PointTransformsJob::Validate() const {
  if (per_point < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("per_point is ", per_point, ", expected at least 1"));
  }
  const size_t pairs = out.size() * static_cast<size_t>(per_point);
  for (const absl::Status& s :
       {CheckSize("indices", indices.size(), pairs), CheckSize("weights", weights.size(), pairs)}) {
    if (!s.ok()) return s;
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= 0 && static_cast<size_t>(indices[i]) < transforms.size()) continue;
    return absl::InvalidArgumentError(absl::StrCat("indices[", i, "] is ", indices[i],
                                                   ", expected 0 to ", transforms.size(), " - 1"));
  }
  return absl::OkStatus();
}

absl::Status PointTransformsJob::Run() const {
  if (absl::Status s = Validate(); !s.ok()) return s;
  if (singular != nullptr) singular->clear();
  std::vector<Factors> factors;
  if (method == SkinningMethod::kDualQuaternion) {
    factors.reserve(transforms.size());
    for (const Affine& m : transforms) factors.push_back(Factor(m));
  }
  const auto n = static_cast<size_t>(per_point);
  for (size_t i = 0; i < out.size(); ++i) {
    const auto joints = indices.subspan(i * n, n);
    const auto shares = weights.subspan(i * n, n);
    Affine blend;
    if (method == SkinningMethod::kClassicLinear) {
      blend = Sum(joints, shares, [&](size_t j) -> const Affine& { return transforms[j]; });
    } else {
      const Affine stretch =
          Sum(joints, shares, [&](size_t j) -> const Affine& { return factors[j].stretch; });
      blend = skel::Mul(stretch, Rigid(BlendMotions(factors, joints, shares)));
    }
    out[i] = skel::Mul(geom_bind, blend);
    if (SurelyUsable(out[i]) || Inverse3(out[i]).usable()) continue;
    if (singular != nullptr) singular->push_back(i);
    size_t heaviest = 0;
    for (size_t k = 1; k < n; ++k) {
      if (shares[k] > shares[heaviest]) heaviest = k;
    }
    out[i] = skel::Mul(geom_bind, transforms[static_cast<size_t>(joints[heaviest])]);
    if (!Inverse3(out[i]).usable()) out[i] = {};
  }
  return absl::OkStatus();
}

absl::Status OffsetsJob::Validate() const {
  for (const absl::Status& s : {CheckSize("transforms", transforms.size(), simple.size()),
                                CheckSize("complex", complex.size(), simple.size()),
                                CheckSize("out", out.size(), simple.size())}) {
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status OffsetsJob::Run() const {
  if (absl::Status s = Validate(); !s.ok()) return s;
  for (size_t i = 0; i < simple.size(); ++i) {
    const Inverse3 inverse(transforms[i]);
    if (inverse.determinant == 0 || !std::isfinite(inverse.condition)) {
      return absl::InvalidArgumentError(absl::StrCat("transforms[", i, "] cannot be inverted"));
    }
    const Vec3 p = simple[i], v = complex[i];
    const std::array<double, 3> d = {double{v.x} - double{p.x}, double{v.y} - double{p.y},
                                     double{v.z} - double{p.z}};
    std::array<double, 3> back{};
    for (size_t r = 0; r < 3; ++r) {
      for (size_t c = 0; c < 3; ++c) back[c] += d[r] * inverse.m[r][c];
    }
    const double f = 1 / inverse.determinant;
    out[i] = {static_cast<float>(back[0] * f), static_cast<float>(back[1] * f),
              static_cast<float>(back[2] * f)};
  }
  return absl::OkStatus();
}

absl::Status ReconstructJob::Validate() const {
  for (const absl::Status& s : {CheckSize("transforms", transforms.size(), simple.size()),
                                CheckSize("out", out.size(), simple.size())}) {
    if (!s.ok()) return s;
  }
  for (size_t k = 0; k < clips.size(); ++k) {
    if (absl::Status s = CheckSize(absl::StrCat("clips[", k, "].offsets"), clips[k].offsets.size(),
                                   simple.size());
        !s.ok()) {
      return s;
    }
    if (clips[k].shares.empty()) continue;
    if (absl::Status s =
            CheckSize(absl::StrCat("clips[", k, "].shares"), clips[k].shares.size(), simple.size());
        !s.ok()) {
      return s;
    }
  }
  return absl::OkStatus();
}

absl::Status ReconstructJob::Run() const {
  if (absl::Status s = Validate(); !s.ok()) return s;
  for (size_t i = 0; i < simple.size(); ++i) {
    Vec3 sum;
    for (const WeighedOffsets& clip : clips) {
      const float share = clip.shares.empty() ? 1 : clip.shares[i];
      sum = sum + clip.offsets[i] * (clip.weight * share);
    }
    out[i] = simple[i] + skel::TransformVector(transforms[i], sum);
  }
  return absl::OkStatus();
}

}  // namespace posewire::mesh
