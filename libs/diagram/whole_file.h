// Writes pictures so that they appear whole or not at all.
#ifndef POSEWIRE_LIBS_DIAGRAM_WHOLE_FILE_H_
#define POSEWIRE_LIBS_DIAGRAM_WHOLE_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace posewire::diagram {

// Written under another name first, then moved. UNAVAILABLE with the path if it cannot be written.
absl::Status WriteWhole(const std::string& path, const std::string& bytes);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_WHOLE_FILE_H_
