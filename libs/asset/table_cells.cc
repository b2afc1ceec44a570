#include "libs/asset/table_cells.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"

namespace posewire::asset {
namespace {

// Returns the position after the closing quote: the comma cannot come earlier. Returns 0 for a cell
// that is not quoted.
size_t EndOfQuoted(absl::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == absl::string_view::npos || text[begin] != '"') return 0;
  for (size_t at = begin + 1; (at = text.find('"', at)) != absl::string_view::npos; at += 2) {
    if (at + 1 == text.size() || text[at + 1] != '"') return at + 1;
  }
  return 0;
}

}  // namespace

std::vector<absl::string_view> TableCells(absl::string_view line) {
  std::vector<absl::string_view> cells;
  for (bool more = true; more;) {
    const size_t end = std::min(line.find(',', EndOfQuoted(line)), line.size());
    absl::string_view cell = absl::StripAsciiWhitespace(line.substr(0, end));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
      cell = cell.substr(1, cell.size() - 2);
    }
    cells.push_back(cell);
    more = end < line.size();
    line.remove_prefix(more ? end + 1 : end);
  }
  return cells;
}

}  // namespace posewire::asset
