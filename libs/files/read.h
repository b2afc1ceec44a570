// Reads and writes whole files, within limits. Errors as of open.h. Any thread.
#ifndef POSEWIRE_LIBS_FILES_READ_H_
#define POSEWIRE_LIBS_FILES_READ_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::files {

// All bytes of a regular file. INVALID_ARGUMENT, with the size and the limit, over `most_bytes`.
absl::StatusOr<std::string> ReadWhole(const std::string& path, uint64_t most_bytes);

// Returns the path of a file that another file names: the user named `from`, and the file at `from`
// has the name `name` in it. It must be in the folder of `from` or below, links included;
// INVALID_ARGUMENT reports one that is not. All formats follow this rule, because a file from
// somewhere else must not publish other files of this machine. An absolute name is accepted if it
// leads into that folder, because OpenUSD writes such names when it flattens a stage.
absl::StatusOr<std::string> PlaceNamed(const std::string& from, absl::string_view name);

// ReadWhole of what PlaceNamed allows.
absl::StatusOr<std::string> ReadNamed(const std::string& from, absl::string_view name,
                                      uint64_t most_bytes);

// Where a file is put that replaces the one of this path as a whole: the path itself, or of a link
// to a file what the link leads to in the end, whether it is there or not. "-" stays. Errors:
// INVALID_ARGUMENT for what is there and is no regular file, and for links without an end.
absl::StatusOr<std::string> PlaceOf(const std::string& path);

// Replaces a file: it has all of the bytes, or is as before. Writes ".part" beside it first. A link
// stays, and what it leads to is replaced. A pipe or device is written to.
absl::Status WriteWhole(const std::string& path, absl::string_view bytes);

}  // namespace posewire::files

#endif  // POSEWIRE_LIBS_FILES_READ_H_
