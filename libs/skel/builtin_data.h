// The files of data/rigs, compiled into the library: nothing is read at run time.
#ifndef POSEWIRE_LIBS_SKEL_BUILTIN_DATA_H_
#define POSEWIRE_LIBS_SKEL_BUILTIN_DATA_H_

#include "absl/strings/string_view.h"

namespace posewire::skel {

// Returns the text of a file by name ("hanim_loa3.rig"); empty if there is none.
absl::string_view BuiltinData(absl::string_view file_name);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_BUILTIN_DATA_H_
