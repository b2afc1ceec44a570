// Files that are written as a whole, by a tool that a signal may end meanwhile.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_WHOLE_FILE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_WHOLE_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tools/animclip/part_files.h"

namespace posewire::animclip {

// Beside its place first, so that the file is there whole or not at all. A link stays, and what it
// leads to is replaced.
absl::Status WriteWhole(const std::string& path, absl::string_view bytes,
                        std::shared_ptr<PartFiles> parts);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_WHOLE_FILE_H_
