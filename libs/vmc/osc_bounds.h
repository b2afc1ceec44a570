// Bounds checks in OSC packets that oscpack 1.1.0 lacks: it follows a negative size backwards,
// forever or out of the packet, and looks for the end of text only in every fourth byte. Internal
// to libs/vmc.
#ifndef POSEWIRE_LIBS_VMC_OSC_BOUNDS_H_
#define POSEWIRE_LIBS_VMC_OSC_BOUNDS_H_

#include "absl/strings/string_view.h"

namespace posewire::vmc {

// Returns whether the elements of a bundle fill it exactly, each a positive multiple of four bytes.
// Does not check the elements themselves.
bool ElementsFit(absl::string_view bundle);

// Returns whether a message's address, types and arguments are within it, with text padded with
// NULs. True for a message without types.
bool ArgumentsFit(absl::string_view message);

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_OSC_BOUNDS_H_
