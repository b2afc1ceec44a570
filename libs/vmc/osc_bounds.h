// Checks within OSC packets that oscpack 1.1.0 leaves out: it follows a negative size backwards,
// for ever or out of the packet, and looks for the end of text in every fourth byte only. Internal
// to libs/vmc.
#ifndef POSEWIRE_LIBS_VMC_OSC_BOUNDS_H_
#define POSEWIRE_LIBS_VMC_OSC_BOUNDS_H_

#include "absl/strings/string_view.h"

namespace posewire::vmc {

// Whether the elements of a bundle fill it exactly, each of a positive multiple of four bytes. Does
// not look into the elements.
bool ElementsFit(absl::string_view bundle);

// Whether the address, the types and the arguments of a message lie in it, text with its padding of
// NULs. True for a message without types.
bool ArgumentsFit(absl::string_view message);

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_OSC_BOUNDS_H_
