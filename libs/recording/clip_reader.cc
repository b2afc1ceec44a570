#include "libs/recording/clip_reader.h"

#include <google/protobuf/wire_format_lite.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/wire/edit_codes.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::recording {

namespace {

// An AnimationDataStream consists of its one part, whose tag comes first.
bool IsData(const std::string& bytes) {
  using Stream = nvidia_ace::animation_data::v1::AnimationDataStream;
  using Internal = google::protobuf::internal::WireFormatLite;
  return !bytes.empty() &&
         static_cast<uint8_t>(bytes[0]) == Internal::MakeTag(Stream::kAnimationDataFieldNumber,
                                                             Internal::WIRETYPE_LENGTH_DELIMITED);
}

}  // namespace

void ClipReader::Warn(absl::string_view what) {
  if (!what.empty()) warnings_.emplace_back(what);
}

std::vector<std::string> ClipReader::warnings() const {
  std::vector<std::string> all = warnings_;
  if (const std::string halves = frames_.HalfSamplesText(); ended_ && !halves.empty()) {
    all.push_back(absl::StrCat(name(), ": ", halves));
  }
  return all;
}

void ClipReader::Count(const wire::MessageBytes& bytes) {
  if (bytes != nullptr) {
    ++messages_;
    any_data_ = any_data_ || IsData(*bytes);
  } else if (!std::exchange(ended_, true) && !any_data_ && warns_of_no_frame_) {
    WarnOfNoFrame();
  }
}

absl::StatusOr<std::optional<wire::Message>> ClipReader::Next() {
  if (!fault_.ok()) return fault_;
  absl::StatusOr<std::optional<wire::Message>> message = DoNext();
  fault_ = message.status();
  if (message.ok()) Count(*message ? (*message)->bytes : nullptr);
  return message;
}

absl::StatusOr<wire::MessageBytes> ClipReader::NextBytes() {
  if (!fault_.ok()) return fault_;
  absl::StatusOr<wire::MessageBytes> bytes = DoNextBytes();
  fault_ = bytes.status();
  if (bytes.ok()) Count(*bytes);
  return bytes;
}

absl::StatusOr<std::optional<wire::Message>> ClipReader::DoNext() {
  absl::StatusOr<wire::MessageBytes> bytes = DoNextBytes();
  if (!bytes.ok()) return bytes.status();
  if (*bytes == nullptr) return std::nullopt;
  return Check(*std::move(bytes));
}

absl::StatusOr<wire::Message> ClipReader::Check(wire::MessageBytes bytes) {
  const absl::Span<const uint8_t> slices[] = {wire::SpanOf(bytes)};
  absl::StatusOr<wire::Chunk> chunk = frames_.Read(slices);
  if (!chunk.ok()) {
    return absl::Status(chunk.status().code(),
                        absl::StrCat(name(), ": message ", messages_, " (", place_of_last(),
                                     "): ", chunk.status().message()));
  }
  wire::Message message{std::move(bytes), *std::move(chunk)};
  wire::SetWholeSamples(&message);
  return message;
}

}  // namespace posewire::recording
