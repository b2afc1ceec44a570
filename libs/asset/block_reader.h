// Reads a source's bytes in order, a block at a time.
#ifndef POSEWIRE_LIBS_ASSET_BLOCK_READER_H_
#define POSEWIRE_LIBS_ASSET_BLOCK_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/files/byte_source.h"

namespace posewire::asset {

class BlockReader {
 public:
  explicit BlockReader(std::unique_ptr<files::ByteSource> source)
      : source_(std::move(source)), block_(kBlockBytes) {}

  // Returns the unread rest of the block, or the next block if there is none. Empty at the end of
  // the file.
  absl::StatusOr<absl::string_view> Peek() {
    if (at_ == end_) {
      const absl::StatusOr<size_t> n = source_->Read(offset_, absl::MakeSpan(block_));
      if (!n.ok()) return n.status();
      at_ = 0, end_ = *n;
    }
    return absl::string_view(block_.data() + at_, end_ - at_);
  }
  void Skip(size_t n) { at_ += n, offset_ += static_cast<int64_t>(n); }

  // Continues at this byte. Bytes that are already in the block are not read again.
  void SeekTo(int64_t offset) {
    const int64_t ahead = offset - offset_;
    if (ahead >= 0 && ahead <= static_cast<int64_t>(end_ - at_)) {
      Skip(static_cast<size_t>(ahead));
    } else {
      at_ = end_ = 0;
      offset_ = offset;
    }
  }

  int64_t offset() const { return offset_; }
  const std::string& name() const { return source_->name(); }
  int64_t size() const { return source_->Size(); }

 private:
  static constexpr size_t kBlockBytes = 64 << 10;

  std::unique_ptr<files::ByteSource> source_;
  std::vector<char> block_;
  size_t at_ = 0, end_ = 0;
  int64_t offset_ = 0;
};

// Returns all bytes that are left. RESOURCE_EXHAUSTED if there are more than `most`.
inline absl::StatusOr<std::string> ReadWhole(BlockReader& bytes, size_t most) {
  std::string out;
  while (true) {
    const absl::StatusOr<absl::string_view> block = bytes.Peek();
    if (!block.ok()) return block.status();
    if (block->empty()) return out;
    if (out.size() + block->size() > most) {
      return absl::ResourceExhaustedError(
          absl::StrCat(bytes.name(), ": has over ", most, " bytes, the most that are read"));
    }
    out.append(block->data(), block->size());
    bytes.Skip(block->size());
  }
}

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_BLOCK_READER_H_
