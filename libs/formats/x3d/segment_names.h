// The segments of H-Anim's joints.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_NAMES_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_NAMES_H_

#include "absl/strings/string_view.h"

namespace posewire::x3d {

// Returns version 2's name of the segment (ISO/IEC 19774-1:2019, tables of the levels of
// articulation) for version 1's name of the joint, as in built-in rigs; "" for a joint that the
// standard lacks.
absl::string_view SegmentOf(absl::string_view joint);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_NAMES_H_
