#include "libs/skel/topology.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace posewire::skel {
namespace {

bool IsBelow(absl::string_view path, absl::string_view above) {
  return path.size() > above.size() && path[above.size()] == '/' && absl::StartsWith(path, above);
}

}  // namespace

Topology Topology::FromPaths(absl::Span<const std::string> paths) {
  const auto at = [&](int16_t i) -> absl::string_view { return paths[static_cast<size_t>(i)]; };
  // With '/' before all other characters, descendants of a path come directly after it. Paths are
  // untrusted: looking up each prefix of each path would take quadratic time.
  std::vector<int16_t> order(paths.size());
  std::iota(order.begin(), order.end(), int16_t{0});
  std::sort(order.begin(), order.end(), [&](int16_t a, int16_t b) {
    const auto [in_a, in_b] = std::mismatch(at(a).begin(), at(a).end(), at(b).begin(), at(b).end());
    if (in_a == at(a).end() && in_b == at(b).end()) return a < b;
    if (in_a == at(a).end() || in_b == at(b).end()) return in_a == at(a).end();
    if (*in_a == '/' || *in_b == '/') return *in_a == '/';
    return *in_a < *in_b;
  });

  std::vector<int16_t> parents(paths.size(), -1);
  std::vector<int16_t> above;  // each is below the previous one
  for (const int16_t i : order) {
    const absl::string_view path = at(i);
    while (!above.empty() && !IsBelow(path, at(above.back()))) above.pop_back();
    if (path.empty()) continue;
    const bool root = path == "/" || path == "..";
    if (!above.empty() && !root) parents[static_cast<size_t>(i)] = above.back();
    above.push_back(i);
  }
  return Topology(std::move(parents));
}

absl::Status Topology::Validate() const {
  for (size_t i = 0; i < parents_.size(); ++i) {
    if (parents_[i] >= static_cast<int>(i)) {
      return absl::InvalidArgumentError(absl::StrCat("joint ", i, " has parent ", parents_[i],
                                                     ": every parent must stand before its child"));
    }
    if (parents_[i] < -1) {
      return absl::InvalidArgumentError(absl::StrCat("joint ", i, " has parent ", parents_[i],
                                                     ": use an earlier joint, or -1 for a root"));
    }
  }
  return absl::OkStatus();
}

}  // namespace posewire::skel
