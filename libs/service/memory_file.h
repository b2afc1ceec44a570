// A file in memory, for programs that are started and read a file: needs no folder and no disk.
#ifndef POSEWIRE_LIBS_SERVICE_MEMORY_FILE_H_
#define POSEWIRE_LIBS_SERVICE_MEMORY_FILE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/files/descriptor.h"

namespace posewire::service {

// Returns a file with `bytes`, positioned at its beginning, that closes on exec: pass it to a child
// with dup2. RESOURCE_EXHAUSTED or UNAVAILABLE with the system's reason.
absl::StatusOr<files::Descriptor> MakeMemoryFile(absl::string_view bytes);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_MEMORY_FILE_H_
