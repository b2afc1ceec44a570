// Offsets as codes of positions in tight boxes: evenly spaced or not, plain, as deltas, or as a
// picture.
#ifndef POSEWIRE_LIBS_OFFSETS_BOX_METHODS_H_
#define POSEWIRE_LIBS_OFFSETS_BOX_METHODS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/offsets/method.h"

namespace posewire::offsets {

// See MethodEntry. Codes are stored side by side of the boxes, each a series over the frames, so
// that similar values are adjacent; 16-bit codes as all low bytes, then all high ones.
template <Method method>
std::string EncodeBoxes(const Offsets& offsets, const Settings& settings);
template <Method method>
absl::StatusOr<std::unique_ptr<Chunk>> OpenBoxes(absl::string_view bytes, size_t points,
                                                 size_t frames);
template <Method method>
size_t OpenBoxesBytes(size_t bytes, size_t points, size_t frames);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_BOX_METHODS_H_
