// Surfaces woven of rows and columns.
#ifndef POSEWIRE_LIBS_AVATAR_LATTICE_H_
#define POSEWIRE_LIBS_AVATAR_LATTICE_H_

#include <cstdint>
#include <vector>

namespace posewire::avatar {

// Triangles of rows * columns points, row by row: counter-clockwise if columns run to the right and
// rows upwards. `closed`: the last column meets the first.
std::vector<int32_t> Weave(int rows, int columns, bool closed);

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_LATTICE_H_
