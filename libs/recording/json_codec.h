// AnimationDataStream messages as protobuf JSON, with one addition: an Any of a type that is not
// known here is {"@type": TYPE_URL, "@value": BASE64} both ways, as grpcurl writes it.
//
// Known are the types compiled in (EmotionAggregate, google's wrappers and such) under
// "type.googleapis.com/"; they follow protobuf's JSON mapping. "@value" is taken for any type.
// Fields that are unknown to the protocol do not survive the way through JSON.
#ifndef POSEWIRE_LIBS_RECORDING_JSON_CODEC_H_
#define POSEWIRE_LIBS_RECORDING_JSON_CODEC_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::recording {

// One line without its end; camelCase names, metadata in the order of its keys.
absl::StatusOr<std::string> ToJson(const nvidia_ace::animation_data::v1::AnimationDataStream& m);

// Takes camelCase and snake_case. INVALID_ARGUMENT with what protobuf says of the text; a field
// name that does not exist is an error.
absl::StatusOr<nvidia_ace::animation_data::v1::AnimationDataStream> FromJson(
    absl::string_view text);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_JSON_CODEC_H_
