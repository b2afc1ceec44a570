// The parent of every joint, from joint paths by UsdSkel's rules.
#ifndef POSEWIRE_LIBS_SKEL_TOPOLOGY_H_
#define POSEWIRE_LIBS_SKEL_TOPOLOGY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace posewire::skel {

class Topology {
 public:
  Topology() = default;
  explicit Topology(std::vector<int16_t> parents) : parents_(std::move(parents)) {}

  // The parent of a joint is its nearest ancestor path that is present; none: -1. Absolute and
  // relative paths never match each other; "", "/" and ".." are roots (UsdSkel topology rules).
  static Topology FromPaths(absl::Span<const std::string> paths);

  // INVALID_ARGUMENT names the first joint whose parent does not come before it.
  absl::Status Validate() const;

  int size() const { return static_cast<int>(parents_.size()); }
  int parent(int joint) const { return parents_[static_cast<size_t>(joint)]; }
  absl::Span<const int16_t> parents() const { return parents_; }

 private:
  std::vector<int16_t> parents_;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_TOPOLOGY_H_
