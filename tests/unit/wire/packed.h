// Metadata that protobuf writes.
#ifndef POSEWIRE_TESTS_UNIT_WIRE_PACKED_H_
#define POSEWIRE_TESTS_UNIT_WIRE_PACKED_H_

#include <google/protobuf/any.pb.h>

#include <string>

#include "absl/strings/string_view.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

inline MetadataEntry Packed(absl::string_view key, const google::protobuf::Message& message) {
  google::protobuf::Any any;
  any.PackFrom(message);
  return {std::string(key), any.SerializeAsString()};
}

}  // namespace posewire::wire

#endif  // POSEWIRE_TESTS_UNIT_WIRE_PACKED_H_
