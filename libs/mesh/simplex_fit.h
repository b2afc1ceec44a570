// Finds the shortest mixture of a few vectors: least squares with non-negative weights that sum to
// 1. Internal to libs/mesh.
#ifndef POSEWIRE_LIBS_MESH_SIMPLEX_FIT_H_
#define POSEWIRE_LIBS_MESH_SIMPLEX_FIT_H_

#include <Eigen/Core>
#include <vector>

namespace posewire::mesh {

// Minimises w' G w over w >= 0 with sum 1, for the products G of the vectors with each other (at
// least one; positive semidefinite, at least on the subspace of sum 0). Active sets as in Lawson
// and Hanson's NNLS (Solving Least Squares Problems, 1974, chapter 23), with the sum kept by each
// solution (Wolfe 1976). A ridge of 1e-12 of G's trace separates linearly dependent vectors; of two
// equal ones, one is used.
std::vector<double> ShortestMixture(const Eigen::MatrixXd& products);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_SIMPLEX_FIT_H_
