#include "libs/avatar/lattice.h"

namespace posewire::avatar {

std::vector<int32_t> Weave(int rows, int columns, bool closed) {
  std::vector<int32_t> out;
  for (int r = 0; r + 1 < rows; ++r) {
    for (int c = 0; c < (closed ? columns : columns - 1); ++c) {
      const int a = r * columns + c, b = r * columns + (c + 1) % columns;
      out.insert(out.end(), {a, b, b + columns, a, b + columns, a + columns});
    }
  }
  return out;
}

}  // namespace posewire::avatar
