#include "libs/skel/pose_mapper.h"

#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "libs/skel/path_index.h"

namespace posewire::skel {
namespace {

// Assigns each source element its index, or -1. `match` returns the index for a path, and the
// quality of the match.
template <typename Match>
std::vector<int> Claim(absl::Span<const std::string> source, size_t places, Match match) {
  struct Holder {
    int source = -1, elements = -1;
  };
  std::vector<Holder> holders(places);
  std::vector<int> place(source.size(), -1);
  for (size_t i = 0; i < source.size(); ++i) {
    const PathIndex::Match found = match(source[i]);
    if (found.index < 0) continue;
    Holder& holder = holders[static_cast<size_t>(found.index)];
    if (found.elements < holder.elements) continue;
    if (holder.source >= 0) place[static_cast<size_t>(holder.source)] = -1;
    const bool tie = found.elements == holder.elements;
    holder = {tie ? -1 : static_cast<int>(i), found.elements};
    if (!tie) place[i] = found.index;
  }
  return place;
}

}  // namespace

PoseMapper::PoseMapper(absl::Span<const std::string> source, absl::Span<const std::string> target)
    : targets_(source.size(), -1) {
  const auto run = std::search(target.begin(), target.end(), source.begin(), source.end());
  if (run != target.end()) {
    std::iota(targets_.begin(), targets_.end(), static_cast<int>(run - target.begin()));
    return;
  }
  absl::flat_hash_map<absl::string_view, int> place;
  for (size_t i = 0; i < target.size(); ++i) place[target[i]] = static_cast<int>(i);
  for (size_t i = 0; i < source.size(); ++i) {
    const auto it = place.find(source[i]);
    if (it != place.end()) targets_[i] = it->second;
  }
}

PoseMapper PoseMapper::ByPath(absl::Span<const std::string> source,
                              absl::Span<const std::string> target) {
  PathIndex index;
  for (const std::string& path : target) index.Add(path);
  return PoseMapper(
      Claim(source, target.size(), [&](absl::string_view path) { return index.Find(path); }));
}

PoseMapper PoseMapper::ToRig(absl::Span<const std::string> source, const Rig& rig) {
  const auto joints = static_cast<size_t>(rig.joints());
  return PoseMapper(
      Claim(source, joints, [&](absl::string_view path) { return rig.MatchJoint(path); }));
}

int PoseMapper::TargetOf(int source) const {
  if (source < 0 || source >= source_size()) return -1;
  return targets_[static_cast<size_t>(source)];
}

}  // namespace posewire::skel
