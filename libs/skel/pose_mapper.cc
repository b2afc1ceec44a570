#include "libs/skel/pose_mapper.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace posewire::skel {

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
