// Offsets as box codes of one size, carried by a picture, audio or video codec.
//
// A chunk has its boxes (boxes.h). If any point moves, these are followed by a byte for the mapping
// of points to pixels (0: by index, 1: by UV, followed by the map), and the carrier's encoding of
// the codes.
#ifndef POSEWIRE_LIBS_OFFSETS_CARRIED_METHODS_H_
#define POSEWIRE_LIBS_OFFSETS_CARRIED_METHODS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/offsets/method.h"

namespace posewire::offsets {

// See MethodEntry, for kJpeg to kVp9. RESOURCE_EXHAUSTED for more than 2^28 codes.
template <Method method>
absl::StatusOr<std::string> EncodeCarried(const Offsets& offsets, const Settings& settings);
template <Method method>
absl::StatusOr<std::unique_ptr<Chunk>> OpenCarried(absl::string_view bytes, size_t points,
                                                   size_t frames);
template <Method method>
size_t OpenCarriedBytes(size_t bytes, size_t points, size_t frames);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_CARRIED_METHODS_H_
