#include "libs/mesh/simplex_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace posewire::mesh {
namespace {

// Fractions of the trace. A duplicate of a chosen vector would shorten the mixture by at most the
// ridge, so it is not chosen.
constexpr double kRidge = 1e-12, kEnough = 2e-12;

// Returns the shortest mixture of only these vectors, with any signs.
Eigen::VectorXd Unbounded(const Eigen::MatrixXd& g, const std::vector<Eigen::Index>& of) {
  const auto n = static_cast<Eigen::Index>(of.size());
  Eigen::MatrixXd part(n, n);
  for (Eigen::Index r = 0; r < n; ++r) {
    for (Eigen::Index c = 0; c < n; ++c) {
      part(r, c) = g(of[static_cast<size_t>(r)], of[static_cast<size_t>(c)]);
    }
  }
  Eigen::VectorXd w = part.ldlt().solve(Eigen::VectorXd::Ones(n));
  const double sum = w.sum();
  if (!std::isfinite(sum) || sum == 0) return Eigen::VectorXd::Constant(n, 1.0 / double(n));
  return w / sum;
}

}  // namespace

std::vector<double> ShortestMixture(const Eigen::MatrixXd& products) {
  const Eigen::Index n = products.rows();
  const double trace = products.trace();
  Eigen::MatrixXd g = products;
  g.diagonal().array() += kRidge * trace + 1e-300;
  Eigen::Index best = 0;
  g.diagonal().minCoeff(&best);
  std::vector<Eigen::Index> in = {best};
  Eigen::VectorXd w = Eigen::VectorXd::Zero(n);
  w(best) = 1;
  // Each round shortens the mixture; the bound protects against rounding.
  for (Eigen::Index round = 0; round < 3 * n; ++round) {
    const Eigen::VectorXd slope = g * w;
    const double length = w.dot(slope);
    Eigen::Index next = -1;
    for (Eigen::Index k = 0; k < n; ++k) {
      if (std::find(in.begin(), in.end(), k) != in.end()) continue;
      if (next < 0 || slope(k) < slope(next)) next = k;
    }
    if (next < 0 || slope(next) >= length - kEnough * trace) break;
    in.push_back(next);
    for (;;) {
      const Eigen::VectorXd to = Unbounded(g, in);
      double share = 1;
      for (size_t k = 0; k < in.size(); ++k) {
        const double from = w(in[k]), aim = to(static_cast<Eigen::Index>(k));
        if (aim <= 0 && from > aim) share = std::min(share, from / (from - aim));
      }
      for (size_t k = 0; k < in.size(); ++k) {
        w(in[k]) += share * (to(static_cast<Eigen::Index>(k)) - w(in[k]));
      }
      if (share >= 1) break;
      // The first weight to reach 0 is removed, and the rest is solved again.
      const auto least = std::min_element(
          in.begin(), in.end(), [&](Eigen::Index a, Eigen::Index b) { return w(a) < w(b); });
      w(*least) = 0;
      in.erase(least);
    }
  }
  std::vector<double> out(static_cast<size_t>(n));
  double sum = 0;
  for (Eigen::Index k = 0; k < n; ++k) sum += std::max(w(k), 0.0);
  for (Eigen::Index k = 0; k < n; ++k) out[static_cast<size_t>(k)] = std::max(w(k), 0.0) / sum;
  return out;
}

}  // namespace posewire::mesh
