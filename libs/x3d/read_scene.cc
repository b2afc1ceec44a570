#include "libs/x3d/read_scene.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/x3d/readers.h"

namespace posewire::x3d {

absl::StatusOr<Scene> ReadScene(absl::string_view bytes, const Limits& limits) {
  if (bytes.size() > limits.bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("has ", bytes.size(), " bytes, and at most ", limits.bytes, " are read"));
  }
  const absl::string_view bare = absl::StartsWith(bytes, "\xEF\xBB\xBF") ? bytes.substr(3) : bytes;
  if (absl::StartsWith(bare, "#X3D") || absl::StartsWith(bare, "#VRML")) {
    return ReadClassic(bare, limits);
  }
  return ReadXml(bytes, limits);
}

}  // namespace posewire::x3d
