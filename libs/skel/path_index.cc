#include "libs/skel/path_index.h"

#include <algorithm>
#include <cstddef>

namespace posewire::skel {
namespace {

// Takes the last element off `path`; false when it was the only one.
bool PopElement(absl::string_view* path, absl::string_view* element) {
  *element = LastPathElement(*path);
  if (element->size() == path->size()) return false;
  path->remove_suffix(element->size() + 1);
  return true;
}

int CommonEnd(absl::string_view a, absl::string_view b) {
  absl::string_view of_a, of_b;
  for (int elements = 0;; ++elements) {
    const bool more_a = PopElement(&a, &of_a), more_b = PopElement(&b, &of_b);
    if (of_a != of_b) return elements;
    if (!more_a || !more_b) return elements + 1;
  }
}

}  // namespace

absl::string_view LastPathElement(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

void PathIndex::Add(absl::string_view path) {
  const auto index = static_cast<int>(paths_.size());
  const auto [it, first] = by_leaf_.try_emplace(LastPathElement(path), index);
  paths_.push_back(path);
  next_.push_back(first ? -1 : it->second);
  it->second = index;
}

PathIndex::Match PathIndex::Find(absl::string_view path) const {
  Match best;
  const auto it = by_leaf_.find(LastPathElement(path));
  if (it == by_leaf_.end()) return best;
  for (int i = it->second; i >= 0; i = next_[static_cast<size_t>(i)]) {
    const absl::string_view other = paths_[static_cast<size_t>(i)];
    if (other == path) return {i, kWhole, false};
    const int elements = CommonEnd(path, other);
    if (elements < best.elements) continue;
    best.several = elements == best.elements;
    best.elements = elements;
    best.index = best.several ? -1 : i;
  }
  return best;
}

absl::string_view PathIndex::ShortestName(int index) const {
  const absl::string_view path = paths_[static_cast<size_t>(index)];
  int needed = 1;
  for (int i = by_leaf_.find(LastPathElement(path))->second; i >= 0;
       i = next_[static_cast<size_t>(i)]) {
    if (i != index) needed = std::max(needed, CommonEnd(path, paths_[static_cast<size_t>(i)]) + 1);
  }
  absl::string_view above = path, element;
  size_t length = 0;
  while (needed-- > 0) {
    const bool more = PopElement(&above, &element);
    length += element.size() + (length > 0 ? 1 : 0);
    if (!more) break;
  }
  return path.substr(path.size() - length);
}

}  // namespace posewire::skel
