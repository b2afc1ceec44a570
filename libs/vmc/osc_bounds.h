// Checks within OSC packets that oscpack 1.1.0 leaves out: it follows a negative size backwards,
// for ever or out of the packet, and looks for the end of text only in every fourth byte. Internal
// to libs/vmc.
#ifndef POSEWIRE_LIBS_VMC_OSC_BOUNDS_H_
#define POSEWIRE_LIBS_VMC_OSC_BOUNDS_H_

#include "absl/strings/string_view.h"

namespace posewire::vmc {

// Whether the elements of a bundle fill it exactly, each a positive multiple of four bytes. Does
// not look into the elements.
bool ElementsFit(absl::string_view bundle);

// Whether a message's address, types and arguments lie within it, with text padded with NULs. True
// for a message without types.
bool ArgumentsFit(absl::string_view message);

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_OSC_BOUNDS_H_
