#include "libs/offsets/principal.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <random>

namespace posewire::offsets {
namespace {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Rows> View(const Matrix& m) {
  return {m.values.data(), static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.columns)};
}

Eigen::Map<Rows> View(Matrix& m) {
  return {m.values.data(), static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.columns)};
}

// The only products of each type, because Eigen compiles its kernels again for every pair of
// expressions.
[[gnu::noinline]] Rows TimesTransposed(const Eigen::Ref<const Rows>& a,
                                       const Eigen::Ref<const Rows>& b) {
  return a * b.transpose();
}
[[gnu::noinline]] Eigen::MatrixXd TimesOwnTransposed(const Eigen::MatrixXd& a) {
  return a * a.transpose();
}

}  // namespace

double VarianceOf(const Matrix& rows) {
  const auto x = View(rows);
  return (x.rowwise() - x.colwise().mean()).cast<double>().squaredNorm();
}

Principal FindPrincipal(const Matrix& rows, double residual) {
  const Eigen::RowVectorXf mean = View(rows).colwise().mean();
  const Rows x = View(rows).rowwise() - mean;
  Principal out;
  out.mean.assign(mean.data(), mean.data() + mean.size());
  const bool wide = x.rows() < x.cols();
  const Rows across = x.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      TimesOwnTransposed((wide ? x : across).cast<double>()));
  const auto& values = solver.eigenvalues();  // ascending
  double left = values.cwiseMax(0).sum();
  Eigen::Index kept = 0;
  while (kept < values.size() && left > residual) {
    const double value = values[values.size() - 1 - kept];
    if (!(value > 0)) break;
    left -= value;
    ++kept;
  }
  out.components = Matrix(static_cast<size_t>(kept), rows.columns);
  out.shares = Matrix(rows.rows, static_cast<size_t>(kept));
  if (kept == 0) return out;
  const Rows vectors =
      solver.eigenvectors().rightCols(kept).rowwise().reverse().transpose().cast<float>();
  auto components = View(out.components);
  components = wide ? TimesTransposed(vectors, across) : vectors;
  if (wide) components.rowwise().normalize();
  auto shares = View(out.shares);
  shares = TimesTransposed(x, components);
  for (Eigen::Index k = 0; k < kept; ++k) {
    const float most = components.row(k).cwiseAbs().maxCoeff();
    if (!(most > 0)) continue;
    components.row(k) /= most;
    shares.col(k) *= most;
  }
  return out;
}

std::vector<size_t> FindClusters(const Matrix& rows, size_t clusters) {
  constexpr int kRounds = 20;
  const auto x = View(rows);
  std::mt19937 random(7);
  Rows centres(0, x.cols());
  Eigen::VectorXf nearest = Eigen::VectorXf::Constant(x.rows(), INFINITY);
  Eigen::Index next = 0;
  // Draws each further centre with a probability proportional to the squared distance to the
  // nearest centre so far (k-means++).
  for (size_t c = 0; c < std::min(clusters, rows.rows); ++c) {
    centres.conservativeResize(centres.rows() + 1, Eigen::NoChange);
    centres.row(centres.rows() - 1) = x.row(next);
    nearest = nearest.cwiseMin((x.rowwise() - x.row(next)).rowwise().squaredNorm());
    const double sum = nearest.cast<double>().sum();
    if (!(sum > 0)) break;
    double drawn = sum * (static_cast<double>(random()) / 4294967296.0);
    for (next = 0; next + 1 < x.rows(); ++next) {
      drawn -= static_cast<double>(nearest[next]);
      if (drawn < 0) break;
    }
  }
  std::vector<size_t> out(rows.rows, 0);
  for (int round = 0; round < kRounds; ++round) {
    // Omits |x|^2, which is the same for all centres.
    const Rows products = TimesTransposed(x, centres);
    const Eigen::RowVectorXf lengths = centres.rowwise().squaredNorm().transpose();
    size_t changed = 0;
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      Eigen::Index best = 0;
      (lengths - 2 * products.row(r)).minCoeff(&best);
      changed += out[static_cast<size_t>(r)] != static_cast<size_t>(best);
      out[static_cast<size_t>(r)] = static_cast<size_t>(best);
    }
    if (round > 0 && changed == 0) break;
    Rows sums = Rows::Zero(centres.rows(), centres.cols());
    Eigen::VectorXf counts = Eigen::VectorXf::Zero(centres.rows());
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      const auto c = static_cast<Eigen::Index>(out[static_cast<size_t>(r)]);
      sums.row(c) += x.row(r);
      counts[c] += 1;
    }
    for (Eigen::Index c = 0; c < centres.rows(); ++c) {
      if (counts[c] > 0) centres.row(c) = sums.row(c) / counts[c];
    }
  }
  return out;
}

}  // namespace posewire::offsets
