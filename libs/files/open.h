// Opens files by path. All other code opens files through this header and read.h, because a path
// may lead to something that blocks forever or never ends: a pipe, a socket, a device.
//
// No function here waits. Errors begin with the path and report the problem, such as "x.rig: is a
// pipe; a regular file is needed". Any thread.
#ifndef POSEWIRE_LIBS_FILES_OPEN_H_
#define POSEWIRE_LIBS_FILES_OPEN_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/files/descriptor.h"

namespace posewire::files {

// Returns "PATH: WHAT: the system's reason" for an errno. Status codes: NOT_FOUND,
// PERMISSION_DENIED, RESOURCE_EXHAUSTED for a full disk, INVALID_ARGUMENT for a folder, otherwise
// UNAVAILABLE.
absl::Status Fault(absl::string_view path, absl::string_view what, int error);

enum class Readable { kRegularFile, kRegularFileOrPipe };

// Opens a file for reading and follows links. INVALID_ARGUMENT for types that `readable` excludes.
// The descriptor is non-blocking: reading a pipe that has no bytes yet fails with EAGAIN, and so do
// the few regular files that can block (/proc/kmsg).
absl::StatusOr<Descriptor> OpenToRead(const std::string& path,
                                      Readable readable = Readable::kRegularFile);

// Returns whether the file is a pipe rather than a regular file.
bool IsPipe(const Descriptor& file);

enum class Writing {
  kReplace,  // an empty file that replaces an existing one
  kKeep,     // the file with its contents; an empty one if it did not exist
  kNew,      // an empty file; ALREADY_EXISTS if it existed
};

// Opens a file for writing, which may be a pipe or device. UNAVAILABLE for a pipe without a reader.
// Writes block while a pipe is full.
absl::StatusOr<Descriptor> OpenToWrite(const std::string& path, Writing writing);

// Writes all of the bytes to a descriptor from OpenToWrite or to standard output. Errors name
// `path`.
absl::Status WriteAll(int fd, absl::string_view path, absl::string_view bytes);

}  // namespace posewire::files

#endif  // POSEWIRE_LIBS_FILES_OPEN_H_
