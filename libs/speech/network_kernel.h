// The network's one heavy operation, on the widest instructions that the machine has.
#ifndef POSEWIRE_LIBS_SPEECH_NETWORK_KERNEL_H_
#define POSEWIRE_LIBS_SPEECH_NETWORK_KERNEL_H_

#include <cstddef>

namespace posewire::speech {

// Matrices are kept in panels of so many rows, column after column, so that a product reads memory
// once, from front to back.
inline constexpr size_t kPanelRows = 64;

// y += W x for a matrix of `rows` rows (a multiple of kPanelRows) and `columns` columns. Sums run
// in the order of the columns.
void AddProduct(const float* panels, size_t rows, size_t columns, const float* x, float* y);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_NETWORK_KERNEL_H_
