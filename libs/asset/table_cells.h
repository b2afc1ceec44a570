// Splits a line of comma-separated values (RFC 4180) into cells.
#ifndef POSEWIRE_LIBS_ASSET_TABLE_CELLS_H_
#define POSEWIRE_LIBS_ASSET_TABLE_CELLS_H_

#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::asset {

// Returns the cells without surrounding blanks, and without the quotes of quoted cells, which may
// contain commas. Two quotes inside a quoted cell stay two. A quote that never closes is text. The
// results are views into `line`.
std::vector<absl::string_view> TableCells(absl::string_view line);

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_TABLE_CELLS_H_
