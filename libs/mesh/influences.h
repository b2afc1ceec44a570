// Lists of joint influences: `per_point` pairs of joint and weight for each point, as in UsdSkel's
// utilities.
#ifndef POSEWIRE_LIBS_MESH_INFLUENCES_H_
#define POSEWIRE_LIBS_MESH_INFLUENCES_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace posewire::mesh {

// Divides each point's weights by their sum, or sets them to zero if the sum is within 1e-6 of 0.
// INVALID_ARGUMENT for a length that is not a multiple of `per_point`, or per_point < 1.
absl::Status NormalizeWeights(absl::Span<float> weights, int per_point);

// Sorts each point's pairs, heaviest first; for equal weights the larger index first. Errors as
// above, and for different lengths.
absl::Status SortInfluences(absl::Span<int> indices, absl::Span<float> weights, int per_point);

// Changes the number per point. With fewer, the first ones are kept (sort before), and weights are
// normalised; with more, zeros are appended. Errors as above.
absl::Status ResizeIndices(std::vector<int>& indices, int from, int to);
absl::Status ResizeWeights(std::vector<float>& weights, int from, int to);

// Sorts and normalises each point's influences, and leaves at most `*kept` per point (0: no limit),
// and no more than any point needs; sets `*kept` to how many. The lists must fit `per_point`.
void KeepGreatest(int per_point, std::vector<int>& indices, std::vector<float>& weights, int* kept);

// Repeats the influences of the whole mesh for each of `points`.
std::vector<int> ExpandConstant(absl::Span<const int> indices, int points);
std::vector<float> ExpandConstant(absl::Span<const float> weights, int points);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_INFLUENCES_H_
