// The segments of H-Anim's joints.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_NAMES_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_NAMES_H_

#include "absl/strings/string_view.h"

namespace posewire::x3d {

// The editions of the standard, whose names of joints and segments differ.
enum class HAnimVersion { k1, k2 };

// Returns the name of the segment of a joint, for version 1's name of the joint, as in built-in
// rigs; "" for a joint that the standard lacks. Version 2's names are those of ISO/IEC
// 19774-1:2019, tables of the levels of articulation; version 1's those of ISO/IEC 19774:2006,
// figure 4.3. A joint that version 1 lacks has version 2's name.
absl::string_view SegmentOf(absl::string_view joint, HAnimVersion version = HAnimVersion::k2);
// Returns version 1's name of the joint whose segment has this name in either version; "" for other
// names.
absl::string_view JointOfSegment(absl::string_view segment);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_NAMES_H_
