// posewire.character.v1.Appearance between plain values and a metadata entry.
#ifndef POSEWIRE_LIBS_WIRE_APPEARANCE_H_
#define POSEWIRE_LIBS_WIRE_APPEARANCE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

inline constexpr absl::string_view kAppearanceKey = "posewire.appearance";

// Fields as in the .proto file.
struct Appearance {
  std::string character = "";
  std::map<std::string, std::string> look = {};

  friend bool operator==(const Appearance& a, const Appearance& b) {
    return a.character == b.character && a.look == b.look;
  }
  friend bool operator!=(const Appearance& a, const Appearance& b) { return !(a == b); }
};

MetadataEntry ToMetadata(const Appearance& appearance);

// Parses a look in the form "hair=long,skin=dark"; an empty text is an empty look. INVALID_ARGUMENT
// for any other form, and for more and longer names than the .proto file allows.
absl::StatusOr<std::map<std::string, std::string>> ParseLook(absl::string_view text);
// INVALID_ARGUMENT if the .proto file does not allow this character name.
absl::Status CheckCharacter(absl::string_view name);

// Returns nothing if the entry has another key, cannot be parsed, or has more or longer names than
// the .proto file allows.
std::optional<Appearance> ReadAppearance(const MetadataEntry& entry);

// Returns the last appearance in these entries.
std::optional<Appearance> AppearanceIn(const std::vector<MetadataEntry>& entries);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_APPEARANCE_H_
