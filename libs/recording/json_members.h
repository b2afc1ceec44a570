// The members of one JSON object, as pieces of its text. Internal to libs/recording. Written by
// hand because RapidJSON looks into the values, takes four times as long for it, and would refuse
// texts that protobuf reads or explains better.
#ifndef POSEWIRE_LIBS_RECORDING_JSON_MEMBERS_H_
#define POSEWIRE_LIBS_RECORDING_JSON_MEMBERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::recording {

// Both with their quotes, brackets and escapes as they stand.
struct JsonMember {
  absl::string_view key;
  absl::string_view value;

  // Whether the key is this name, which must need no escapes.
  bool Is(absl::string_view name) const {
    return key.size() == name.size() + 2 && key.substr(1, name.size()) == name;
  }
};

// `object` must be a whole object, as JsonSplitter delivers it. INVALID_ARGUMENT when it does not
// read as `{ "key": value, ... }`; values are not looked into.
absl::StatusOr<std::vector<JsonMember>> JsonMembers(absl::string_view object);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_JSON_MEMBERS_H_
