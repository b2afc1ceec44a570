#include "libs/mesh/fit_shapes.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "absl/strings/str_cat.h"

namespace posewire::mesh {
namespace {

// Share of the mean square of a shape's weights that is added to all.
constexpr double kShapeRidge = 0.01;

}  // namespace

absl::StatusOr<std::vector<skel::Vec3>> FitShapes(const FitShapesInput& in) {
  const size_t frames = in.shapes == 0 ? 0 : in.weights.size() / in.shapes;
  if (in.points == 0 || frames == 0 || in.weights.size() != frames * in.shapes ||
      in.offsets.size() != frames * in.points) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there are ", in.offsets.size(), " offsets of ", in.points, " points and ",
        in.weights.size(), " weights of ", in.shapes, " shapes; expected as many frames of both"));
  }
  const auto rows = static_cast<Eigen::Index>(frames), wide = static_cast<Eigen::Index>(in.shapes);
  const Eigen::MatrixXd weights =
      Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          in.weights.data(), rows, wide)
          .cast<double>();
  Eigen::MatrixXd square = weights.transpose() * weights;
  const double mean = square.trace() / static_cast<double>(in.shapes);
  square.diagonal().array() += kShapeRidge * mean + 1e-9;
  const Eigen::MatrixXd solve = square.ldlt().solve(weights.transpose());  // shapes x frames
  std::vector<skel::Vec3> out(in.shapes * in.points);
  Eigen::MatrixX3d moves(rows, 3);
  for (size_t i = 0; i < in.points; ++i) {
    for (size_t f = 0; f < frames; ++f) {
      const skel::Vec3 o = in.offsets[f * in.points + i];
      moves.row(static_cast<Eigen::Index>(f)) << double{o.x}, double{o.y}, double{o.z};
    }
    const Eigen::MatrixX3d found = solve * moves;
    for (size_t s = 0; s < in.shapes; ++s) {
      const auto row = found.row(static_cast<Eigen::Index>(s));
      out[s * in.points + i] = {static_cast<float>(row(0)), static_cast<float>(row(1)),
                                static_cast<float>(row(2))};
    }
  }
  return out;
}

}  // namespace posewire::mesh
