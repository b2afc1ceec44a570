#include "libs/clipio/stream_reader.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "libs/retarget/retarget.h"
#include "libs/wire/edit_codes.h"

namespace posewire::clipio {

wire::ReaderLimits FileLimits() {
  wire::ReaderLimits limits;
  const size_t larger = (512u << 20) / limits.message_bytes;
  limits.message_bytes *= larger;
  limits.elements *= larger;
  limits.joints = limits.shapes = std::numeric_limits<int16_t>::max();
  limits.metadata_entries = 4096;
  limits.unknown_header_bytes = limits.message_bytes;
  limits.require_ids = false;
  return limits;
}

absl::StatusOr<StreamReader> StreamReader::Open(const std::string& path,
                                                const wire::ReaderLimits& limits,
                                                const std::string& prim) {
  asset::ReadOptions options;
  options.prim = prim;
  return Open(path, options, limits);
}

absl::StatusOr<StreamReader> StreamReader::Open(const std::string& path,
                                                const asset::ReadOptions& options,
                                                const wire::ReaderLimits& limits) {
  asset::ReadOptions limited = options;
  limited.max_message_bytes = limits.message_bytes;
  auto clip = OpenClip(path, limited);
  if (!clip.ok()) return clip.status();
  return StreamReader(path, *std::move(clip), limits);
}

absl::StatusOr<StreamReader> StreamReader::Open(std::unique_ptr<asset::ByteSource> source,
                                                asset::Format format,
                                                const wire::ReaderLimits& limits) {
  asset::ReadOptions options;
  options.format = format;
  options.max_message_bytes = limits.message_bytes;
  std::string name = source->name();
  auto clip = OpenClip(std::move(source), options);
  if (!clip.ok()) return clip.status();
  return StreamReader(std::move(name), *std::move(clip), limits);
}

StreamReader::StreamReader(std::string name, std::unique_ptr<recording::ClipReader> clip,
                           const wire::ReaderLimits& limits)
    : name_(std::move(name)), clip_(std::move(clip)), frames_(limits) {}
StreamReader::StreamReader(StreamReader&&) noexcept = default;
StreamReader& StreamReader::operator=(StreamReader&&) noexcept = default;
StreamReader::~StreamReader() = default;

void StreamReader::Retarget(std::shared_ptr<const skel::Rig> rig, skel::RigCatalog catalog,
                            retarget::RetargetOptions options) {
  clip_ =
      retarget::Retarget(std::move(clip_), std::move(rig), std::move(catalog), std::move(options));
}

std::vector<std::string> StreamReader::warnings() const {
  std::vector<std::string> all = clip_->warnings();
  if (const std::string halves = frames_.HalfSamplesText(); ended_ && !halves.empty()) {
    all.push_back(absl::StrCat(name_, ": ", halves));
  }
  return all;
}

std::shared_ptr<const skel::Rig> StreamReader::skeleton() const { return clip_->skeleton(); }

absl::Status StreamReader::Narrow(double from_s, double to_s) {
  return clip_->Narrow(from_s, to_s);
}

absl::StatusOr<std::optional<std::string>> StreamReader::NextBytes() {
  return clip_->NextSerialized();
}

absl::StatusOr<wire::Chunk> StreamReader::Check(absl::string_view bytes) {
  const absl::Span<const uint8_t> slices[] = {
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}};
  absl::StatusOr<wire::Chunk> chunk = frames_.Read(slices);
  if (chunk.ok()) return chunk;
  return absl::Status(chunk.status().code(),
                      absl::StrCat(name_, ": message ", clip_->messages() - 1, " (",
                                   clip_->place_of_last(), "): ", chunk.status().message()));
}

absl::StatusOr<std::optional<wire::Message>> StreamReader::NextMessage() {
  absl::StatusOr<std::optional<std::string>> bytes = NextBytes();
  if (!bytes.ok()) return bytes.status();
  ended_ = !*bytes;
  if (ended_) return std::optional<wire::Message>();
  absl::StatusOr<wire::Chunk> chunk = Check(**bytes);
  if (!chunk.ok()) return chunk.status();
  wire::Message message{std::make_shared<const std::string>(**std::move(bytes)), *std::move(chunk)};
  wire::SetWholeSamples(&message);
  return message;
}

absl::StatusOr<std::optional<wire::Chunk>> StreamReader::Next() {
  absl::StatusOr<std::optional<wire::Message>> message = NextMessage();
  if (!message.ok()) return message.status();
  if (!*message) return std::optional<wire::Chunk>();
  return std::move((**message).chunk);
}

int64_t StreamReader::messages() const { return clip_->messages(); }
int64_t StreamReader::end_of_last() const { return clip_->end_of_last(); }
int64_t StreamReader::size() const { return clip_->size(); }

}  // namespace posewire::clipio
