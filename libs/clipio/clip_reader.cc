#include "libs/clipio/clip_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/clipio/file.h"
#include "libs/clipio/json_codec.h"
#include "libs/clipio/json_splitter.h"

namespace posewire::clipio {
namespace {

constexpr size_t kBlockBytes = 64 << 10;

// A source's bytes in order, a block at a time.
class BlockReader {
 public:
  explicit BlockReader(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), block_(kBlockBytes) {}

  // What is left of the block; a new block when nothing is; empty at the end of the file.
  absl::StatusOr<absl::string_view> Peek() {
    if (at_ == end_) {
      const absl::StatusOr<size_t> n = source_->Read(absl::MakeSpan(block_));
      if (!n.ok()) return n.status();
      at_ = 0, end_ = *n;
    }
    return absl::string_view(block_.data() + at_, end_ - at_);
  }
  void Skip(size_t n) { at_ += n, offset_ += static_cast<int64_t>(n); }
  int64_t offset() const { return offset_; }
  const std::string& name() const { return source_->name(); }
  int64_t size() const { return source_->Size(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<char> block_;
  size_t at_ = 0, end_ = 0;
  int64_t offset_ = 0;
};

class AnimDataReader : public ClipReader {
 public:
  AnimDataReader(std::unique_ptr<ByteSource> source, size_t max_bytes)
      : bytes_(std::move(source)), max_bytes_(max_bytes) {}

  std::string place_of_last() const override { return absl::StrCat("byte ", start_of_last_); }
  int64_t size() const override { return bytes_.size(); }

 private:
  absl::StatusOr<std::optional<Message>> DoNext() override {
    const int64_t start = end_of_last_;
    absl::StatusOr<std::optional<std::string>> bytes = DoNextSerialized();
    if (!bytes.ok()) return bytes.status();
    if (!*bytes) return std::optional<Message>();
    Message message;
    if (!message.ParseFromString(**bytes)) {
      end_of_last_ = start;
      return absl::DataLossError(absl::StrCat(bytes_.name(), ": byte ", start,
                                              ": what stands here is no AnimationDataStream"));
    }
    return std::optional<Message>(std::move(message));
  }

  absl::StatusOr<std::optional<std::string>> DoNextSerialized() override {
    uint64_t length = 0;
    for (int i = 0;; ++i) {
      absl::StatusOr<absl::string_view> block = bytes_.Peek();
      if (!block.ok()) return block.status();
      if (block->empty() && i == 0) return std::optional<std::string>();
      if (block->empty()) return Torn();
      const auto byte = static_cast<uint8_t>(block->front());
      bytes_.Skip(1);
      length |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) break;
      if (i == 4) {
        return absl::DataLossError(absl::StrCat(bytes_.name(), ": byte ", end_of_last_,
                                                ": what stands here is no length of a message"));
      }
    }
    if (length > max_bytes_) {
      return absl::ResourceExhaustedError(absl::StrCat(bytes_.name(), ": byte ", end_of_last_,
                                                       ": a message of ", length,
                                                       " bytes; at most ", max_bytes_));
    }
    return ReadBody(static_cast<size_t>(length));
  }

  // Grows with what is really there, so that a false length takes no memory.
  absl::StatusOr<std::optional<std::string>> ReadBody(size_t length) {
    std::string body;
    while (body.size() < length) {
      absl::StatusOr<absl::string_view> block = bytes_.Peek();
      if (!block.ok()) return block.status();
      if (block->empty()) return Torn();
      const size_t n = std::min(block->size(), length - body.size());
      body.append(block->data(), n);
      bytes_.Skip(n);
    }
    start_of_last_ = end_of_last_;
    end_of_last_ = bytes_.offset();
    return std::optional<std::string>(std::move(body));
  }

  absl::Status Torn() const {
    return absl::DataLossError(
        absl::StrCat(bytes_.name(), ": ends within a message; the last whole message ends at byte ",
                     end_of_last_, ", ", bytes_.offset() - end_of_last_, " bytes follow it"));
  }

  BlockReader bytes_;
  const size_t max_bytes_;
  int64_t start_of_last_ = 0;
};

class JsonlReader : public ClipReader {
 public:
  JsonlReader(std::unique_ptr<ByteSource> source, size_t max_bytes)
      : bytes_(std::move(source)), splitter_(max_bytes) {}

  std::string place_of_last() const override { return absl::StrCat("line ", splitter_.line()); }
  int64_t size() const override { return bytes_.size(); }

 private:
  absl::StatusOr<std::optional<Message>> DoNext() override {
    while (true) {
      absl::StatusOr<absl::string_view> block = bytes_.Peek();
      if (!block.ok()) return block.status();
      if (block->empty()) {
        if (splitter_.inside()) return Torn();
        return std::optional<Message>();
      }
      absl::string_view rest = *block;
      const absl::StatusOr<bool> found = splitter_.Feed(&rest);
      bytes_.Skip(block->size() - rest.size());
      if (!found.ok()) return InFile(found.status());
      if (!*found) continue;
      absl::StatusOr<Message> message = FromJson(splitter_.value());
      if (!message.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(bytes_.name(), ": line ", splitter_.line(),
                                                       ": ", message.status().message()));
      }
      end_of_last_ = splitter_.end_of_last();
      return std::optional<Message>(*std::move(message));
    }
  }

  absl::StatusOr<std::optional<std::string>> DoNextSerialized() override {
    const absl::StatusOr<std::optional<Message>> message = DoNext();
    if (!message.ok()) return message.status();
    if (!*message) return std::optional<std::string>();
    return std::optional<std::string>((*message)->SerializeAsString());
  }

  absl::Status InFile(const absl::Status& s) const {
    return absl::Status(s.code(), absl::StrCat(bytes_.name(), ": ", s.message()));
  }

  absl::Status Torn() const {
    return absl::DataLossError(absl::StrCat(
        bytes_.name(), ": ends within the object that begins in line ", splitter_.line(),
        "; the last whole one ends at byte ", splitter_.end_of_last()));
  }

  BlockReader bytes_;
  JsonSplitter splitter_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ClipReader>> ClipReader::Open(const std::string& path,
                                                             const ReadOptions& options) {
  if (!options.format) {
    if (absl::Status s = FormatOf(path).status(); !s.ok()) return s;
  }
  auto file = File::Open(path, File::Mode::kRead);
  if (!file.ok()) return file.status();
  return Open(*std::move(file), options);
}

absl::StatusOr<std::unique_ptr<ClipReader>> ClipReader::Open(std::unique_ptr<ByteSource> source,
                                                             const ReadOptions& options) {
  const absl::StatusOr<Format> format =
      options.format ? absl::StatusOr<Format>(*options.format) : FormatOf(source->name());
  if (!format.ok()) return format.status();
  if (*format == Format::kAnimData) {
    return std::unique_ptr<ClipReader>(
        new AnimDataReader(std::move(source), options.max_message_bytes));
  }
  return std::unique_ptr<ClipReader>(new JsonlReader(std::move(source), options.max_json_bytes));
}

template <typename T>
absl::StatusOr<std::optional<T>> ClipReader::Count(absl::StatusOr<std::optional<T>> got) {
  if (!got.ok()) {
    fault_ = got.status();
  } else if (got->has_value()) {
    ++messages_;
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

}  // namespace posewire::clipio
