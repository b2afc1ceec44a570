// Writes pictures as PNG, one alone or many on a sheet.
#ifndef POSEWIRE_LIBS_RENDER_CONTACT_SHEET_H_
#define POSEWIRE_LIBS_RENDER_CONTACT_SHEET_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/render/painter.h"

namespace posewire::render {

// With alpha if the picture has it. Errors: those of image::EncodePng.
absl::StatusOr<std::string> EncodePng(const Picture& picture);

// Arranges pictures of one size in rows of `columns`, each with its caption at the lower left;
// either no captions, or one per picture. The sheet is white where they are transparent.
// INVALID_ARGUMENT for no pictures, different sizes, or a sheet over 32767 pixels.
absl::StatusOr<Picture> ContactSheet(absl::Span<const Picture> pictures,
                                     absl::Span<const std::string> captions, int columns);

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_CONTACT_SHEET_H_
