#include "libs/skel/topology.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace posewire::skel {

Topology Topology::FromPaths(absl::Span<const std::string> paths) {
  absl::flat_hash_map<absl::string_view, int16_t> index;
  index.reserve(paths.size());
  for (size_t i = 0; i < paths.size(); ++i) index[paths[i]] = static_cast<int16_t>(i);

  std::vector<int16_t> parents(paths.size(), -1);
  for (size_t i = 0; i < paths.size(); ++i) {
    absl::string_view path = paths[i];
    if (path.empty() || path == "/" || path == "..") continue;
    while (parents[i] < 0) {
      const size_t slash = path.rfind('/');
      if (slash == absl::string_view::npos || slash == 0) break;
      path = path.substr(0, slash);
      const auto it = index.find(path);
      if (it != index.end()) parents[i] = it->second;
    }
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
