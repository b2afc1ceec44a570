#include "libs/files/byte_source.h"

#include <algorithm>

#include "libs/files/byte_sink.h"

namespace posewire::files {

absl::StatusOr<std::string> ReadBytes(ByteSource& source, int64_t offset, size_t size) {
  std::string bytes(size, '\0');
  const absl::StatusOr<size_t> got = source.Read(offset, absl::MakeSpan(bytes));
  if (!got.ok()) return got.status();
  bytes.resize(*got);
  return bytes;
}

absl::StatusOr<size_t> MemorySource::Read(int64_t offset, absl::Span<char> to) {
  return bytes_.copy(to.data(), to.size(), std::min(bytes_.size(), static_cast<size_t>(offset)));
}

absl::Status MemorySink::Write(absl::string_view bytes) {
  out_->append(bytes.data(), bytes.size());
  return absl::OkStatus();
}

absl::Status MemorySink::Overwrite(int64_t offset, absl::string_view bytes) {
  out_->replace(static_cast<size_t>(offset), bytes.size(), bytes.data(), bytes.size());
  return absl::OkStatus();
}

absl::Status MemorySink::Truncate(int64_t size) {
  out_->resize(static_cast<size_t>(size));
  return absl::OkStatus();
}

}  // namespace posewire::files
