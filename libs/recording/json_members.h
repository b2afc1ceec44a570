// Splits one JSON object into its members, as views into its text. Internal to libs/recording.
// Hand-written because RapidJSON parses the values, takes four times as long, and would reject
// texts that protobuf reads or explains better.
#ifndef POSEWIRE_LIBS_RECORDING_JSON_MEMBERS_H_
#define POSEWIRE_LIBS_RECORDING_JSON_MEMBERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::recording {

// Both include their quotes, brackets and escapes.
struct JsonMember {
  absl::string_view key;
  absl::string_view value;

  // Returns true if the key is this name, which must need no escapes.
  bool Is(absl::string_view name) const {
    return key.size() == name.size() + 2 && key.substr(1, name.size()) == name;
  }
};

// `object` must be a whole object, as JsonSplitter delivers it. INVALID_ARGUMENT if it does not
// have the form `{ "key": value, ... }`. Does not check the values.
absl::StatusOr<std::vector<JsonMember>> JsonMembers(absl::string_view object);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_JSON_MEMBERS_H_
