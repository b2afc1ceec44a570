#include "libs/skel/pose_mapper.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
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
    : source_size_(static_cast<int>(source.size())), target_size_(static_cast<int>(target.size())) {
  if (source.empty() || target.empty()) return;
  const auto run = std::search(target.begin(), target.end(), source.begin(), source.end());
  if (run != target.end()) {
    offset_ = static_cast<int>(run - target.begin());
    kind_ = source.size() == target.size() ? Kind::kIdentity : Kind::kOrdered;
    sparse_ = kind_ != Kind::kIdentity;
    return;
  }
  kind_ = Kind::kIndexed;
  absl::flat_hash_map<absl::string_view, int> place;
  for (size_t i = 0; i < target.size(); ++i) place[target[i]] = static_cast<int>(i);
  std::vector<bool> written(target.size(), false);
  indices_.reserve(source.size());
  for (const std::string& name : source) {
    const auto it = place.find(name);
    indices_.push_back(it == place.end() ? -1 : it->second);
    if (it != place.end()) written[static_cast<size_t>(it->second)] = true;
  }
  sparse_ = std::find(written.begin(), written.end(), false) != written.end();
}

PoseMapper::PoseMapper(std::vector<int> indices, int target_size)
    : source_size_(static_cast<int>(indices.size())),
      target_size_(target_size),
      indices_(std::move(indices)) {
  if (source_size_ == 0 || target_size_ == 0) return;
  kind_ = Kind::kIndexed;
  std::vector<bool> written(static_cast<size_t>(target_size), false);
  for (const int to : indices_) {
    if (to >= 0) written[static_cast<size_t>(to)] = true;
  }
  sparse_ = std::find(written.begin(), written.end(), false) != written.end();
  // One run: the source begins in the target and continues with consecutive indices.
  offset_ = indices_[0];
  for (int i = 0; i < source_size_; ++i) {
    if (offset_ < 0 || indices_[static_cast<size_t>(i)] != offset_ + i) return;
  }
  kind_ = sparse_ ? Kind::kOrdered : Kind::kIdentity;
}

PoseMapper PoseMapper::ByPath(absl::Span<const std::string> source,
                              absl::Span<const std::string> target) {
  PathIndex index;
  for (const std::string& path : target) index.Add(path);
  return PoseMapper(
      Claim(source, target.size(), [&](absl::string_view path) { return index.Find(path); }),
      static_cast<int>(target.size()));
}

PoseMapper PoseMapper::ToRig(absl::Span<const std::string> source, const Rig& rig) {
  const auto joints = static_cast<size_t>(rig.joints());
  return PoseMapper(
      Claim(source, joints, [&](absl::string_view path) { return rig.MatchJoint(path); }),
      rig.joints());
}

int PoseMapper::TargetOf(int source) const {
  if (source < 0 || source >= source_size_ || IsNull()) return -1;
  return kind_ == Kind::kIndexed ? indices_[static_cast<size_t>(source)] : source + offset_;
}

absl::Status PoseMapper::Remap(absl::Span<const float> source, int element_size,
                               std::vector<float>& target, float fallback) const {
  if (element_size < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("element_size is ", element_size, ", expected at least 1"));
  }
  const auto width = static_cast<size_t>(element_size);
  target.resize(static_cast<size_t>(target_size_) * width, fallback);
  const size_t count = std::min(source.size() / width, static_cast<size_t>(source_size_));
  for (size_t i = 0; i < count; ++i) {
    const int to = TargetOf(static_cast<int>(i));
    if (to < 0) continue;
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                target.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(to) * width));
  }
  return absl::OkStatus();
}

bool PoseMapper::MapJoints(const PoseView& in, const PoseSpan& out) const {
  if (in.joints != source_size_ || out.joints != target_size_) return false;
  for (int j = 0; j < source_size_; ++j) {
    const int to = TargetOf(j);
    if (to < 0) continue;
    if (in.has_t[j]) out.SetTranslation(to, in.translation(j));
    if (in.has_r[j]) out.SetRotation(to, in.rotation(j));
    if (in.has_s[j]) out.SetScale(to, in.scale(j));
  }
  return true;
}

bool PoseMapper::MapShapes(const PoseView& in, const PoseSpan& out) const {
  if (in.shapes != source_size_ || out.shapes != target_size_) return false;
  for (int s = 0; s < source_size_; ++s) {
    const int to = TargetOf(s);
    if (to >= 0 && in.has_w[s]) out.SetWeight(to, in.weights[s]);
  }
  return true;
}

}  // namespace posewire::skel
