#include "tools/animclip/clip_input.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_reader.h"

namespace posewire::animclip {
namespace {

// 1-based line of the first character that is no space at or after byte `from`; 0 when the file
// cannot be read again.
int64_t LineAt(const std::string& path, int64_t from) {
  std::ifstream in(path, std::ios::binary);
  int64_t line = 1, at = 0;
  for (char c; in.get(c); ++at) {
    if (at >= from && !std::isspace(static_cast<unsigned char>(c))) return line;
    if (c == '\n') ++line;
  }
  return 0;
}

}  // namespace

wire::ReaderLimits FileLimits() {
  wire::ReaderLimits limits;
  limits.message_bytes = 512u << 20;
  limits.elements = 128u << 20;
  limits.require_ids = false;
  return limits;
}

struct ClipInput::Impl {
  std::string path;
  std::unique_ptr<clipio::ClipReader> reader;
  wire::FrameReader frames{FileLimits()};
  int64_t size = 0;
  int64_t start_of_last = 0;

  // "clip.jsonl": message 3 (line 7): what is wrong.
  absl::Status At(const absl::Status& fault) const {
    const bool json =
        clipio::FormatOf(path).value_or(clipio::Format::kAnimData) == clipio::Format::kJsonl;
    const int64_t line = json ? LineAt(path, start_of_last) : 0;
    const std::string place =
        line > 0 ? absl::StrCat("line ", line) : absl::StrCat("byte ", start_of_last);
    return absl::Status(
        fault.code(), absl::StrCat("\"", path, "\": message ", reader->messages() - 1, " (", place,
                                   "): ", fault.message()));
  }
};

ClipInput::ClipInput(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ClipInput::~ClipInput() = default;
ClipInput::ClipInput(ClipInput&&) noexcept = default;
ClipInput& ClipInput::operator=(ClipInput&&) noexcept = default;

absl::StatusOr<ClipInput> ClipInput::Open(const std::string& path,
                                          const wire::ReaderLimits& limits) {
  clipio::ReadOptions options;
  options.max_message_bytes = limits.message_bytes;
  auto reader = clipio::ClipReader::Open(path, options);
  if (!reader.ok()) return reader.status();
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->reader = *std::move(reader);
  impl->frames = wire::FrameReader(limits);
  std::error_code no_size;
  const auto size = std::filesystem::file_size(path, no_size);
  impl->size = no_size ? 0 : static_cast<int64_t>(size);
  return ClipInput(std::move(impl));
}

absl::StatusOr<bool> ClipInput::NextBytes(std::string* bytes) {
  impl_->start_of_last = impl_->reader->end_of_last();
  absl::StatusOr<std::optional<std::string>> next = impl_->reader->NextSerialized();
  if (!next.ok()) return next.status();
  if (!*next) return false;
  *bytes = **std::move(next);
  return true;
}

absl::StatusOr<bool> ClipInput::NextChunk(wire::Chunk* chunk) {
  std::string bytes;
  absl::StatusOr<bool> more = NextBytes(&bytes);
  if (!more.ok() || !*more) return more;
  absl::StatusOr<wire::Chunk> read = Check(bytes);
  if (!read.ok()) return read.status();
  *chunk = *std::move(read);
  return true;
}

absl::StatusOr<wire::Chunk> ClipInput::Check(absl::string_view bytes) {
  const absl::Span<const uint8_t> slice(reinterpret_cast<const uint8_t*>(bytes.data()),
                                        bytes.size());
  absl::StatusOr<wire::Chunk> chunk = impl_->frames.Read({slice});
  if (!chunk.ok()) return impl_->At(chunk.status());
  return chunk;
}

int64_t ClipInput::position() const { return impl_->reader->end_of_last(); }
int64_t ClipInput::size() const { return impl_->size; }
int64_t ClipInput::messages() const { return impl_->reader->messages(); }
const std::string& ClipInput::path() const { return impl_->path; }

}  // namespace posewire::animclip
