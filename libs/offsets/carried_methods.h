// Offsets as codes of places in boxes of one size that a picture, a sound or a film carries.
//
// A chunk is its boxes (boxes.h), and where any point moves, a byte that says how points became
// pixels (0: by index, 1: by UV, followed by the map), and what a carrier makes of the codes.
#ifndef POSEWIRE_LIBS_OFFSETS_CARRIED_METHODS_H_
#define POSEWIRE_LIBS_OFFSETS_CARRIED_METHODS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/offsets/method.h"

namespace posewire::offsets {

// As MethodEntry has them, of kJpeg to kVp9. RESOURCE_EXHAUSTED for more than 2^28 codes.
template <Method method>
absl::StatusOr<std::string> EncodeCarried(const Offsets& offsets, const Settings& settings);
template <Method method>
absl::StatusOr<std::unique_ptr<Chunk>> OpenCarried(absl::string_view bytes, size_t points,
                                                   size_t frames);
template <Method method>
size_t OpenCarriedBytes(size_t bytes, size_t points, size_t frames);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_CARRIED_METHODS_H_
