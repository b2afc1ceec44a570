// The network's one expensive operation, with the machine's widest instructions.
#ifndef POSEWIRE_LIBS_SPEECH_NETWORK_KERNEL_H_
#define POSEWIRE_LIBS_SPEECH_NETWORK_KERNEL_H_

#include <cstddef>

namespace posewire::speech {

// Matrices are stored in panels of this many rows, column after column, so that a product reads
// memory once, sequentially.
inline constexpr size_t kPanelRows = 64;

// y += W x for a matrix of `rows` rows (a multiple of kPanelRows) and `columns` columns. Terms are
// added in the order of the columns.
void AddProduct(const float* panels, size_t rows, size_t columns, const float* x, float* y);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_NETWORK_KERNEL_H_
