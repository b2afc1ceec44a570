#include "libs/asset/byte_stream.h"

#include <algorithm>

namespace posewire::asset {

absl::StatusOr<size_t> MemorySource::Read(absl::Span<char> to) {
  const size_t n = std::min(to.size(), left_.size());
  std::copy_n(left_.data(), n, to.data());
  left_.remove_prefix(n);
  return n;
}

absl::Status MemorySource::Seek(int64_t offset) {
  left_ = bytes_.substr(std::min(bytes_.size(), static_cast<size_t>(offset)));
  return absl::OkStatus();
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

}  // namespace posewire::asset
