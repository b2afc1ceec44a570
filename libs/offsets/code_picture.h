// Codes of 16 bits as a PNG: a row for each three sides (red, green, blue), a column for each
// frame.
#ifndef POSEWIRE_LIBS_OFFSETS_CODE_PICTURE_H_
#define POSEWIRE_LIBS_OFFSETS_CODE_PICTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::offsets {

// `codes` are series of `columns`, one after the other; empty for none.
std::string EncodeCodePicture(const std::vector<uint16_t>& codes, size_t columns);

// The first `series` series. INVALID_ARGUMENT for a picture of another kind or size, before memory
// is taken for it.
absl::StatusOr<std::vector<uint16_t>> DecodeCodePicture(absl::string_view bytes, size_t series,
                                                        size_t columns);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_CODE_PICTURE_H_
