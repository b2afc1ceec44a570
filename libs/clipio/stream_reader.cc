#include "libs/clipio/stream_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_reader.h"

namespace posewire::clipio {

wire::ReaderLimits FileLimits() {
  wire::ReaderLimits limits;
  limits.message_bytes = ReadOptions().max_message_bytes;
  limits.elements *= limits.message_bytes / wire::ReaderLimits().message_bytes;
  limits.require_ids = false;
  return limits;
}

absl::StatusOr<StreamReader> StreamReader::Open(const std::string& path,
                                                const wire::ReaderLimits& limits) {
  auto clip = ClipReader::Open(path);
  if (!clip.ok()) return clip.status();
  return StreamReader(path, *std::move(clip), limits);
}

StreamReader::StreamReader(std::string path, std::unique_ptr<ClipReader> clip,
                           const wire::ReaderLimits& limits)
    : path_(std::move(path)), clip_(std::move(clip)), frames_(limits) {}
StreamReader::StreamReader(StreamReader&&) noexcept = default;
StreamReader::~StreamReader() = default;

absl::StatusOr<std::optional<wire::Chunk>> StreamReader::Next() {
  const absl::StatusOr<std::optional<std::string>> bytes = clip_->NextSerialized();
  if (!bytes.ok()) return bytes.status();
  if (!*bytes) return std::optional<wire::Chunk>();
  const std::string& message = **bytes;
  const absl::Span<const uint8_t> slices[] = {
      {reinterpret_cast<const uint8_t*>(message.data()), message.size()}};
  absl::StatusOr<wire::Chunk> chunk = frames_.Read(slices);
  if (chunk.ok()) return std::optional<wire::Chunk>(*std::move(chunk));
  return absl::Status(chunk.status().code(), absl::StrCat(path_, ": message ", clip_->messages(),
                                                          ": ", chunk.status().message()));
}

int64_t StreamReader::messages() const { return clip_->messages(); }
int64_t StreamReader::end_of_last() const { return clip_->end_of_last(); }

}  // namespace posewire::clipio
