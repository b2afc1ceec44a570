// Files that are read or written as a whole.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_WHOLE_FILE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_WHOLE_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/animclip/part_files.h"

namespace posewire::animclip {

// Errors of clipio::File; RESOURCE_EXHAUSTED over 2 GiB.
absl::StatusOr<std::string> ReadWhole(const std::string& path);
// Beside its place first, so that the file is there whole or not at all. A link stays, and what it
// leads to is replaced.
absl::Status WriteWhole(const std::string& path, absl::string_view bytes,
                        std::shared_ptr<PartFiles> parts);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_WHOLE_FILE_H_
