// Writes pictures so that they are there whole or not at all.
#ifndef POSEWIRE_LIBS_DIAGRAM_WHOLE_FILE_H_
#define POSEWIRE_LIBS_DIAGRAM_WHOLE_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace posewire::diagram {

// Beside its place first, then moved there. UNAVAILABLE with the path when it cannot be written.
absl::Status WriteWhole(const std::string& path, const std::string& bytes);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_WHOLE_FILE_H_
