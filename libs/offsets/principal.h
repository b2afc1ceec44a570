// Principal components and k-means, by Eigen.
#ifndef POSEWIRE_LIBS_OFFSETS_PRINCIPAL_H_
#define POSEWIRE_LIBS_OFFSETS_PRINCIPAL_H_

#include <cstddef>
#include <vector>

namespace posewire::offsets {

// Row after row.
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
  Matrix components{0, 0};  // of greatest variance first; their largest entry is 1 in size
  Matrix shares{0, 0};
};
// As many components as leave at most `residual` of the sum of squared distances from the mean.
Principal FindPrincipal(const Matrix& rows, double residual);

// The sum of squared distances of the rows from their mean.
double VarianceOf(const Matrix& rows);

// The cluster of each row (k-means after k-means++, 20 rounds at most): the same on each run. Fewer
// than `clusters` where rows are alike.
std::vector<size_t> FindClusters(const Matrix& rows, size_t clusters);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_PRINCIPAL_H_
