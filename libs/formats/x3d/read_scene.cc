#include "libs/formats/x3d/read_scene.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/readers.h"
#include "libs/formats/x3d/scene_builder.h"

namespace posewire::x3d {
namespace {

constexpr size_t kShownStart = 24;

// Returns the error for a file that starts like neither form.
absl::Status NoScene(absl::string_view bytes, size_t first) {
  if (first == absl::string_view::npos) return AtLine(1, "the file is empty: it has no scene");
  if (absl::StartsWith(bytes, "#VRML")) {
    return AtLine(1, "the file is VRML 1.0, which is another language: save it as X3D");
  }
  if (bytes[first] == '{') {
    return AtLine(1, "the file is JSON, in which X3D is not read: save it as XML or classic X3D");
  }
  const absl::string_view line = bytes.substr(first, bytes.find_first_of("\r\n", first) - first);
  return AtLine(
      1, absl::StrCat("the file starts with \"", absl::CHexEscape(line.substr(0, kShownStart)),
                      "\", as neither form of X3D does: the first line of XML is <?xml "
                      "version=\"1.0\" encoding=\"UTF-8\"?>, and of the classic form "
                      "#X3D V4.0 utf8"));
}

}  // namespace

absl::StatusOr<Scene> ReadScene(absl::string_view bytes, const Limits& limits) {
  if (bytes.size() > limits.bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("has ", bytes.size(), " bytes, and at most ", limits.bytes, " are read"));
  }
  const absl::string_view bare = absl::StartsWith(bytes, "\xEF\xBB\xBF") ? bytes.substr(3) : bytes;
  if (!ClassicHead(bare).empty()) return ReadClassic(bare, limits);
  const size_t first = bare.find_first_not_of(" \t\r\n");
  const bool utf16 = absl::StartsWith(bytes, "\xFE\xFF") || absl::StartsWith(bytes, "\xFF\xFE");
  if (utf16 || (first != absl::string_view::npos && bare[first] == '<')) {
    return ReadXml(bytes, limits);
  }
  return NoScene(bare, first);
}

}  // namespace posewire::x3d
