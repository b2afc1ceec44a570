// The segments that H-Anim's joints carry.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_NAMES_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_NAMES_H_

#include "absl/strings/string_view.h"

namespace posewire::x3d {

// By the joint's name of version 1, as built-in rigs have it, the segment's of version 2 (ISO/IEC
// 19774-1:2019, tables of the levels of articulation); "" for a joint that the standard lacks.
absl::string_view SegmentOf(absl::string_view joint);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_NAMES_H_
