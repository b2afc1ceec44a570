// Parses rig files and shape lists into parts; docs/formats.md has the format.
#ifndef POSEWIRE_LIBS_SKEL_RIG_PARSER_H_
#define POSEWIRE_LIBS_SKEL_RIG_PARSER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// INVALID_ARGUMENT with the line number and the expected form.
absl::StatusOr<RigParts> ParseRigParts(absl::string_view text);

// Returns the names of a built-in shape list: "arkit52" or "arkit68"; otherwise INVALID_ARGUMENT.
absl::StatusOr<std::vector<std::string>> BuiltinShapes(absl::string_view name);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_RIG_PARSER_H_
