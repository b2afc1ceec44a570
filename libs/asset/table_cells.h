// The cells of a line of comma-separated values (RFC 4180).
#ifndef POSEWIRE_LIBS_ASSET_TABLE_CELLS_H_
#define POSEWIRE_LIBS_ASSET_TABLE_CELLS_H_

#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::asset {

// Without blanks around them and without the quotes of quoted cells, which may hold commas. Two
// quotes within a quoted cell stay two. A quote that never closes is text. The cells are parts of
// `line`.
std::vector<absl::string_view> TableCells(absl::string_view line);

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_TABLE_CELLS_H_
