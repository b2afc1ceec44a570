#include "libs/mesh/influences.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::mesh {
namespace {

absl::Status CheckLength(size_t size, int per_point) {
  if (per_point >= 1 && size % static_cast<size_t>(per_point) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "influences have ", size, " entries, expected a multiple of per_point = ", per_point,
      ", which must be at least 1"));
}

template <typename T>
absl::Status Resize(std::vector<T>& values, int from, int to) {
  if (absl::Status s = CheckLength(values.size(), from); !s.ok()) return s;
  if (to < 1) return CheckLength(values.size(), to);
  const auto old = static_cast<size_t>(from), size = static_cast<size_t>(to);
  std::vector<T> out(values.size() / old * size);
  for (size_t p = 0; p < values.size() / old; ++p) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(p * old), std::min(old, size),
                out.begin() + static_cast<std::ptrdiff_t>(p * size));
  }
  values = std::move(out);
  return absl::OkStatus();
}

template <typename T>
std::vector<T> Repeat(absl::Span<const T> values, int points) {
  std::vector<T> out;
  for (int p = 0; p < points; ++p) out.insert(out.end(), values.begin(), values.end());
  return out;
}

}  // namespace

absl::Status NormalizeWeights(absl::Span<float> weights, int per_point) {
  if (absl::Status s = CheckLength(weights.size(), per_point); !s.ok()) return s;
  const auto n = static_cast<size_t>(per_point);
  for (size_t first = 0; first < weights.size(); first += n) {
    const absl::Span<float> point = weights.subspan(first, n);
    float sum = 0;
    for (float w : point) sum += w;
    const float factor = std::fabs(sum) > 1e-6f ? 1 / sum : 0;
    for (float& w : point) w *= factor;
  }
  return absl::OkStatus();
}

absl::Status SortInfluences(absl::Span<int> indices, absl::Span<float> weights, int per_point) {
  if (absl::Status s = CheckLength(weights.size(), per_point); !s.ok()) return s;
  if (indices.size() != weights.size()) {
    return absl::InvalidArgumentError(absl::StrCat("indices has ", indices.size(),
                                                   " entries, expected ", weights.size(),
                                                   ", as many as weights"));
  }
  const auto n = static_cast<size_t>(per_point);
  std::vector<std::pair<float, int>> point(n);
  for (size_t first = 0; first < weights.size(); first += n) {
    for (size_t i = 0; i < n; ++i) point[i] = {weights[first + i], indices[first + i]};
    std::sort(point.rbegin(), point.rend());
    for (size_t i = 0; i < n; ++i) {
      weights[first + i] = point[i].first;
      indices[first + i] = point[i].second;
    }
  }
  return absl::OkStatus();
}

absl::Status ResizeIndices(std::vector<int>& indices, int from, int to) {
  return Resize(indices, from, to);
}

absl::Status ResizeWeights(std::vector<float>& weights, int from, int to) {
  if (absl::Status s = Resize(weights, from, to); !s.ok() || to >= from) return s;
  return NormalizeWeights(absl::MakeSpan(weights), to);
}

void KeepGreatest(int per_point, std::vector<int>& indices, std::vector<float>& weights,
                  int* kept) {
  const int most = *kept > 0 ? std::min(*kept, per_point) : per_point;
  *kept = per_point;
  if (!SortInfluences(absl::MakeSpan(indices), absl::MakeSpan(weights), per_point).ok()) return;
  const auto per = static_cast<size_t>(per_point);
  size_t needed = 1;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) needed = std::max(needed, i % per + 1);
  }
  *kept = std::min(most, static_cast<int>(needed));
  absl::Status s = ResizeIndices(indices, per_point, *kept);
  s.Update(ResizeWeights(weights, per_point, *kept));
  s.Update(NormalizeWeights(absl::MakeSpan(weights), *kept));
  // The lengths were checked by SortInfluences.
  s.IgnoreError();
}

std::vector<int> ExpandConstant(absl::Span<const int> indices, int points) {
  return Repeat(indices, points);
}

std::vector<float> ExpandConstant(absl::Span<const float> weights, int points) {
  return Repeat(weights, points);
}

}  // namespace posewire::mesh
