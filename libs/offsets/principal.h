// Principal components and k-means, with Eigen.
#ifndef POSEWIRE_LIBS_OFFSETS_PRINCIPAL_H_
#define POSEWIRE_LIBS_OFFSETS_PRINCIPAL_H_

#include <cstddef>
#include <vector>

namespace posewire::offsets {

// Row-major.
struct Matrix {
  size_t rows = 0, columns = 0;
  std::vector<float> values;

  Matrix(size_t r, size_t c) : rows(r), columns(c), values(r * c) {}
  float* row(size_t r) { return values.data() + r * columns; }
  const float* row(size_t r) const { return values.data() + r * columns; }
};

// Rows are mean + sum over k of shares(row, k) components(k).
struct Principal {
  std::vector<float> mean;  // of the columns
  Matrix components{0, 0};  // greatest variance first; their largest entry has absolute value 1
  Matrix shares{0, 0};
};
// Returns enough components to leave at most `residual` of the sum of squared distances from the
// mean.
Principal FindPrincipal(const Matrix& rows, double residual);

// Returns the sum of squared distances of the rows from their mean.
double VarianceOf(const Matrix& rows);

// Returns the cluster of each row (k-means after k-means++, 20 rounds at most). Deterministic.
// Fewer than `clusters` if rows are equal.
std::vector<size_t> FindClusters(const Matrix& rows, size_t clusters);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_PRINCIPAL_H_
