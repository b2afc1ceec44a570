// Writes files completely or not at all, in a tool that a signal may end at any time.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_WHOLE_FILE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_WHOLE_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tools/animclip/part_files.h"

namespace posewire::animclip {

// Writes next to its place first. A link stays, and its target is replaced.
absl::Status WriteWhole(const std::string& path, absl::string_view bytes,
                        std::shared_ptr<PartFiles> parts);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_WHOLE_FILE_H_
