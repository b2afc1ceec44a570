// Reads and writes whole files, within limits. Errors: see open.h. Any thread.
#ifndef POSEWIRE_LIBS_FILES_READ_H_
#define POSEWIRE_LIBS_FILES_READ_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::files {

// Returns all bytes of a regular file. INVALID_ARGUMENT, with the size and the limit, over
// `most_bytes`.
absl::StatusOr<std::string> ReadWhole(const std::string& path, uint64_t most_bytes);

// Returns the path of a file that another file names: the user named `from`, and the file at `from`
// contains `name`. The result must be in the folder of `from` or below it, after following links;
// otherwise INVALID_ARGUMENT. All formats follow this rule, so that a file from elsewhere cannot
// expose other files of this machine. An absolute name is accepted if it leads into that folder,
// because OpenUSD writes such names when it flattens a stage.
absl::StatusOr<std::string> PlaceNamed(const std::string& from, absl::string_view name);

// ReadWhole of the file that PlaceNamed returns.
absl::StatusOr<std::string> ReadNamed(const std::string& from, absl::string_view name,
                                      uint64_t most_bytes);

// Returns the path at which to write a file that replaces `path` as a whole: `path` itself, or the
// final target of a link, whether it exists or not. "-" is returned unchanged. INVALID_ARGUMENT if
// something exists there that is not a regular file, and for links that never end.
absl::StatusOr<std::string> PlaceOf(const std::string& path);

// Replaces a file: afterwards it has all of the bytes, or its old contents. Writes ".part" next to
// it first. If the path is a link, replaces its target. A pipe or device is written to.
absl::Status WriteWhole(const std::string& path, absl::string_view bytes);

}  // namespace posewire::files

#endif  // POSEWIRE_LIBS_FILES_READ_H_
