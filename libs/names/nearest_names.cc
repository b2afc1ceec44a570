#include "libs/names/nearest_names.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"

namespace posewire {
namespace {

constexpr size_t kLongest = 64;
// Shorter words occur in others by chance.
constexpr size_t kShortestPart = 4;

std::string Plain(absl::string_view name) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(name), {{" ", "_"}, {"-", "_"}});
}

// Optimal string alignment: Levenshtein distance with swapped neighbours as one change.
size_t Distance(const std::string& a, const std::string& b) {
  std::array<std::array<size_t, kLongest + 1>, 3> rows{};
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

bool Near(const std::string& a, const std::string& b, size_t distance) {
  const std::string& shorter = a.size() < b.size() ? a : b;
  const std::string& longer = a.size() < b.size() ? b : a;
  const bool few = distance <= std::max<size_t>(1, longer.size() / 3);
  if (few && distance < longer.size()) return true;
  return shorter.size() >= kShortestPart && absl::StrContains(longer, shorter);
}

}  // namespace

std::vector<std::string> NearestNames(absl::string_view text, absl::Span<const std::string> names,
                                      size_t most) {
  std::vector<std::string> nearest;
  if (text.empty() || text.size() > kLongest) return nearest;
  const std::string wanted = Plain(text);
  std::vector<std::pair<size_t, const std::string*>> found;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.size() > kLongest) continue;
    const std::string plain = Plain(name);
    const size_t distance = Distance(wanted, plain);
    if (Near(wanted, plain, distance) && seen.insert(plain).second) {
      found.emplace_back(distance, &name);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [distance, name] : found) {
    if (nearest.size() < most) nearest.push_back(*name);
  }
  return nearest;
}

}  // namespace posewire
