#include "libs/mesh/fit_joints.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

#include "absl/strings/str_cat.h"

namespace posewire::mesh {
namespace {

using skel::Affine;
using skel::Vec3;

// A joint that moves less than this share of a mean joint's points stays: a little weight far away
// would pull it anywhere.
constexpr double kLeastShare = 0.05;

Eigen::Matrix3d LinearOf(const Affine& m) {
  Eigen::Matrix3d out;
  for (size_t r = 0; r < 3; ++r) {
    out.row(static_cast<Eigen::Index>(r)) << double{m.row[r].x}, double{m.row[r].y},
        double{m.row[r].z};
  }
  return out;
}

Vec3 Skinned(Vec3 p, const Affine* transforms, absl::Span<const int> indices,
             absl::Span<const float> weights) {
  Vec3 out;
  for (size_t k = 0; k < indices.size(); ++k) {
    if (weights[k] == 0) continue;
    out = out + skel::TransformPoint(transforms[static_cast<size_t>(indices[k])], p) * weights[k];
  }
  return out;
}

}  // namespace

absl::StatusOr<std::vector<Vec3>> FitJoints(const FitSkinInput& in, absl::Span<const int> indices,
                                            absl::Span<const float> weights, int per_point,
                                            double hold) {
  // Checks all lengths and indices.
  if (const auto error = MeasureSkin(in, indices, weights, per_point); !error.ok()) {
    return error.status();
  }
  const size_t joints = in.joints.size(), points = in.rest.size(),
               frames = in.frames.size() / points, per = static_cast<size_t>(per_point);
  const auto wide = static_cast<Eigen::Index>(joints);
  // How much of each point a joint moves with all below it, and the products of these.
  Eigen::MatrixXd shares = Eigen::MatrixXd::Zero(wide, static_cast<Eigen::Index>(points));
  for (size_t k = 0; k < indices.size(); ++k) {
    for (int j = indices[k]; j >= 0; j = in.joints[static_cast<size_t>(j)].parent) {
      shares(j, static_cast<Eigen::Index>(k / per)) += double{weights[k]};
    }
  }
  const Eigen::MatrixXd both = shares * shares.transpose();
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(3 * wide, 3 * wide);
  Eigen::RowVectorXd right = Eigen::RowVectorXd::Zero(3 * wide);
  std::vector<Eigen::Matrix3d> turns(joints);
  Eigen::MatrixX3d left(static_cast<Eigen::Index>(points), 3);
  for (size_t f = 0; f < frames; ++f) {
    const Affine* const now = in.transforms.data() + f * joints;
    for (size_t i = 0; i < points; ++i) {
      const Vec3 off =
          in.frames[f * points + i] -
          Skinned(in.rest[i], now, indices.subspan(i * per, per), weights.subspan(i * per, per));
      left.row(static_cast<Eigen::Index>(i)) << double{off.x}, double{off.y}, double{off.z};
    }
    const Eigen::MatrixX3d pulls = shares * left;
    for (size_t j = 0; j < joints; ++j) {
      const int parent = in.joints[j].parent;
      const Eigen::Matrix3d above =
          parent < 0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : LinearOf(now[parent]);
      turns[j] = above - LinearOf(now[j]);
    }
    for (Eigen::Index k = 0; k < wide; ++k) {
      const Eigen::Matrix3d& of = turns[static_cast<size_t>(k)];
      right.segment<3>(3 * k) += pulls.row(k) * of.transpose();
      for (Eigen::Index l = 0; l <= k; ++l) {
        if (both(k, l) == 0) continue;
        square.block<3, 3>(3 * k, 3 * l) +=
            both(k, l) * of * turns[static_cast<size_t>(l)].transpose();
      }
    }
  }
  square.triangularView<Eigen::StrictlyUpper>() = square.transpose();
  const double least = kLeastShare * static_cast<double>(points) / static_cast<double>(joints);
  for (Eigen::Index k = 0; k < wide; ++k) {
    const double stay = hold * static_cast<double>(frames) * (both(k, k) + least);
    for (Eigen::Index n = 3 * k; n < 3 * k + 3; ++n) square(n, n) += stay;
  }
  const Eigen::VectorXd found = square.ldlt().solve(right.transpose());
  std::vector<Vec3> out;
  for (Eigen::Index k = 0; k < wide; ++k) {
    out.push_back({static_cast<float>(found(3 * k)), static_cast<float>(found(3 * k + 1)),
                   static_cast<float>(found(3 * k + 2))});
  }
  return out;
}

absl::Status ShiftJoints(absl::Span<const JointAtRest> joints, absl::Span<const Vec3> shifts,
                         absl::Span<Affine> transforms) {
  if (joints.empty() || shifts.size() != joints.size() || transforms.size() % joints.size() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", shifts.size(), " shifts and ", transforms.size(),
                     " transforms, expected as many for each of ", joints.size(), " joints"));
  }
  for (size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].parent < static_cast<int>(j)) continue;
    return absl::InvalidArgumentError(absl::StrCat("joint ", j, " comes before its parent"));
  }
  std::vector<Vec3> moved(joints.size());
  for (size_t f = 0; f < transforms.size(); f += joints.size()) {
    const absl::Span<Affine> now = transforms.subspan(f, joints.size());
    for (size_t j = 0; j < joints.size(); ++j) {
      const int parent = joints[j].parent;
      const auto above = static_cast<size_t>(std::max(parent, 0));
      const Vec3 before = parent < 0 ? shifts[j] : skel::TransformVector(now[above], shifts[j]);
      moved[j] =
          (parent < 0 ? Vec3{} : moved[above]) + before - skel::TransformVector(now[j], shifts[j]);
    }
    for (size_t j = 0; j < joints.size(); ++j) now[j].row[3] = now[j].row[3] + moved[j];
  }
  return absl::OkStatus();
}

}  // namespace posewire::mesh
