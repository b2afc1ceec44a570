// The files of data/shapes, compiled into the library. No file is read at run time.
#ifndef POSEWIRE_LIBS_SHAPES_BUILTIN_TABLES_H_
#define POSEWIRE_LIBS_SHAPES_BUILTIN_TABLES_H_

#include "absl/strings/string_view.h"

namespace posewire::shapes {

// Returns the text of the file with this name ("oculus.csv"), or empty text if there is none.
absl::string_view BuiltinTable(absl::string_view file_name);

}  // namespace posewire::shapes

#endif  // POSEWIRE_LIBS_SHAPES_BUILTIN_TABLES_H_
