// The next message of a clip as protobuf has it, not checked by the rules of a stream.
#ifndef POSEWIRE_TESTS_UNIT_CLIPIO_PARSED_MESSAGE_H_
#define POSEWIRE_TESTS_UNIT_CLIPIO_PARSED_MESSAGE_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/recording/clip_reader.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::clipio {

inline absl::StatusOr<std::optional<nvidia_ace::animation_data::v1::AnimationDataStream>>
NextParsed(recording::ClipReader& reader) {
  const absl::StatusOr<wire::MessageBytes> bytes = reader.NextBytes();
  if (!bytes.ok()) return bytes.status();
  if (*bytes == nullptr) return std::nullopt;
  nvidia_ace::animation_data::v1::AnimationDataStream message;
  if (!message.ParseFromString(**bytes)) return absl::DataLossError("no AnimationDataStream");
  return message;
}

}  // namespace posewire::clipio

#endif  // POSEWIRE_TESTS_UNIT_CLIPIO_PARSED_MESSAGE_H_
