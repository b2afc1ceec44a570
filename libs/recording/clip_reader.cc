#include "libs/recording/clip_reader.h"

#include <google/protobuf/wire_format_lite.h>

#include <utility>

namespace posewire::recording {

namespace {

bool IsData(const ClipReader::Message& message) { return message.has_animation_data(); }
// The part of an AnimationDataStream is all that is in it, and its tag comes first.
bool IsData(const std::string& bytes) {
  using Internal = google::protobuf::internal::WireFormatLite;
  return !bytes.empty() && static_cast<uint8_t>(bytes[0]) ==
                               Internal::MakeTag(ClipReader::Message::kAnimationDataFieldNumber,
                                                 Internal::WIRETYPE_LENGTH_DELIMITED);
}

}  // namespace

void ClipReader::Warn(absl::string_view what) {
  if (!what.empty()) warnings_.emplace_back(what);
}

template <typename T>
absl::StatusOr<std::optional<T>> ClipReader::Count(absl::StatusOr<std::optional<T>> got) {
  if (!got.ok()) {
    fault_ = got.status();
  } else if (got->has_value()) {
    ++messages_;
    any_data_ = any_data_ || IsData(**got);
  } else if (!std::exchange(ended_, true) && !any_data_ && !wraps_) {
    Warn("the clip has no frame, so nothing moves");
  }
  return got;
}

absl::StatusOr<std::optional<ClipReader::Message>> ClipReader::Next() {
  if (!fault_.ok()) return fault_;
  return Count(DoNext());
}

absl::StatusOr<std::optional<std::string>> ClipReader::NextSerialized() {
  if (!fault_.ok()) return fault_;
  return Count(DoNextSerialized());
}

absl::StatusOr<std::optional<std::string>> ClipReader::DoNextSerialized() {
  const absl::StatusOr<std::optional<Message>> message = DoNext();
  if (!message.ok()) return message.status();
  if (!*message) return std::optional<std::string>();
  return std::optional<std::string>((*message)->SerializeAsString());
}

}  // namespace posewire::recording
