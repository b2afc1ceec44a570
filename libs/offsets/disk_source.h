// Files on disk as byte sources.
#ifndef POSEWIRE_LIBS_OFFSETS_DISK_SOURCE_H_
#define POSEWIRE_LIBS_OFFSETS_DISK_SOURCE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/offsets/byte_source.h"

namespace posewire::offsets {

// A regular file; errors are those of files::OpenToRead. The file stays open; reads are of what the
// opened file holds then, even if its name has moved on to another.
absl::StatusOr<std::shared_ptr<ByteSource>> OpenDiskSource(const std::string& path);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_DISK_SOURCE_H_
