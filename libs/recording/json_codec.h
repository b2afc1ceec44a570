// Converts AnimationDataStream messages to and from protobuf JSON, with one addition: an Any of an
// unknown type is {"@type": TYPE_URL, "@value": BASE64} in both directions, as grpcurl writes it.
//
// Known types are those compiled in (EmotionAggregate, google's wrappers and such) under
// "type.googleapis.com/"; they follow protobuf's JSON mapping. "@value" is accepted for any type.
// Fields unknown to the protocol are lost in JSON.
#ifndef POSEWIRE_LIBS_RECORDING_JSON_CODEC_H_
#define POSEWIRE_LIBS_RECORDING_JSON_CODEC_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::recording {

// Returns one line without its end: camelCase names, metadata ordered by key.
absl::StatusOr<std::string> ToJson(const nvidia_ace::animation_data::v1::AnimationDataStream& m);

// Accepts camelCase and snake_case. INVALID_ARGUMENT with protobuf's message if the text cannot be
// parsed; an unknown field name is an error.
absl::StatusOr<nvidia_ace::animation_data::v1::AnimationDataStream> FromJson(
    absl::string_view text);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_JSON_CODEC_H_
