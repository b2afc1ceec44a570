#include "libs/clipio/clip_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/clipio/animdata_reader.h"
#include "libs/clipio/block_reader.h"
#include "libs/clipio/file.h"
#include "libs/clipio/json_codec.h"
#include "libs/clipio/json_splitter.h"

namespace posewire::clipio {
namespace {

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
