// Layout shared by all pages: width, margins, title and headings.
#ifndef POSEWIRE_LIBS_DIAGRAM_PAGE_H_
#define POSEWIRE_LIBS_DIAGRAM_PAGE_H_

#include "absl/strings/string_view.h"
#include "libs/diagram/canvas.h"

namespace posewire::diagram {

// In points.
inline constexpr double kPageWidth = 1440, kPageMargin = 36, kPageHeader = 74, kSectionHeading = 30;

// Draws title, facts and a legend for the colours of the sides, with a line below.
void DrawPageHeader(Canvas& canvas, absl::string_view title, absl::string_view subtitle);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_PAGE_H_
