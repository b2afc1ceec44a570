#include "libs/skel/path_index.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace posewire::skel {
namespace {

// Returns how many last characters both share.
size_t SameEnd(absl::string_view a, absl::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  size_t n = 0;
  while (n < most && a[a.size() - 1 - n] == b[b.size() - 1 - n]) ++n;
  return n;
}

// Returns whether the last `n` characters are whole elements.
bool IsWholeEnd(absl::string_view path, size_t n) {
  return n == path.size() || path[path.size() - 1 - n] == '/';
}

int CommonEnd(absl::string_view a, absl::string_view b) {
  const size_t n = SameEnd(a, b);
  const auto slashes =
      static_cast<int>(std::count(a.end() - static_cast<ptrdiff_t>(n), a.end(), '/'));
  return slashes + (IsWholeEnd(a, n) && IsWholeEnd(b, n) ? 1 : 0);
}

// Returns the last `elements` elements of `path`, or all of it if it has fewer.
absl::string_view Ending(absl::string_view path, int elements) {
  size_t start = path.size();
  while (start > 0 && (path[start - 1] != '/' || --elements > 0)) --start;
  return path.substr(start);
}

}  // namespace

absl::string_view LastPathElement(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

bool PathIndex::ByEnding::operator()(const Entry& a, const Entry& b) const {
  const size_t n = SameEnd(a.path, b.path);
  if (n == a.path.size() && n == b.path.size()) return a.index > b.index;
  if (n == a.path.size() || n == b.path.size()) return a.path.size() < b.path.size();
  const char last_a = a.path[a.path.size() - 1 - n], last_b = b.path[b.path.size() - 1 - n];
  // An element that ends here comes before one that continues, so that paths that share whole
  // elements are adjacent.
  if (last_a == '/' || last_b == '/') return last_a == '/';
  return last_a < last_b;
}

void PathIndex::Add(absl::string_view path) {
  sorted_.insert({path, static_cast<int>(paths_.size())});
  paths_.push_back(path);
}

PathIndex::Match PathIndex::Find(absl::string_view path) const {
  // Before all entries of this path.
  const auto after = sorted_.lower_bound({path, kWhole});
  if (after != sorted_.end() && after->path == path) return {after->index, kWhole, false};
  const auto shared = [&](auto it) { return CommonEnd(path, it->path); };
  const bool has_before = after != sorted_.begin(), has_after = after != sorted_.end();
  const int before = has_before ? shared(std::prev(after)) : 0;
  const int behind = has_after ? shared(after) : 0;
  const int elements = std::max(before, behind);
  if (elements == 0) return {};
  if (before == behind) return {-1, elements, true};
  const auto best = before > behind ? std::prev(after) : after;
  // The next one farther from `path` shares at most as much.
  const bool first = best == sorted_.begin(), last = std::next(best) == sorted_.end();
  const bool several = before > behind ? !first && shared(std::prev(best)) == elements
                                       : !last && shared(std::next(best)) == elements;
  return {several ? -1 : best->index, elements, several};
}

absl::string_view PathIndex::ShortestName(int index) const {
  const absl::string_view path = paths_[static_cast<size_t>(index)];
  const auto self = sorted_.find({path, index});
  int shared = 0;
  if (self != sorted_.begin()) shared = CommonEnd(path, std::prev(self)->path);
  if (const auto next = std::next(self); next != sorted_.end()) {
    shared = std::max(shared, CommonEnd(path, next->path));
  }
  return Ending(path, shared + 1);
}

}  // namespace posewire::skel
