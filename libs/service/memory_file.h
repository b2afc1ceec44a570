// A file in memory, for programs that are started and read one: no folder and no disk is needed.
#ifndef POSEWIRE_LIBS_SERVICE_MEMORY_FILE_H_
#define POSEWIRE_LIBS_SERVICE_MEMORY_FILE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/files/descriptor.h"

namespace posewire::service {

// Holds `bytes`, stands at their beginning and closes on exec: give it to a child by dup2.
// RESOURCE_EXHAUSTED or UNAVAILABLE with the system's reason.
absl::StatusOr<files::Descriptor> MakeMemoryFile(absl::string_view bytes);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_MEMORY_FILE_H_
