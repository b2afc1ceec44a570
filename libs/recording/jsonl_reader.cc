#include "libs/recording/jsonl_reader.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/asset/block_reader.h"
#include "libs/recording/json_codec.h"
#include "libs/recording/json_splitter.h"

namespace posewire::recording {
namespace {

class JsonlReader : public ClipReader {
 public:
  JsonlReader(std::unique_ptr<files::ByteSource> source, size_t max_bytes)
      : bytes_(std::move(source)), splitter_(max_bytes) {}

  const std::string& name() const override { return bytes_.name(); }
  std::string place_of_last() const override { return absl::StrCat("line ", splitter_.line()); }
  int64_t size() const override { return bytes_.size(); }

 private:
  absl::StatusOr<wire::MessageBytes> DoNextBytes() override {
    while (true) {
      absl::StatusOr<absl::string_view> block = bytes_.Peek();
      if (!block.ok()) return block.status();
      if (block->empty()) {
        if (splitter_.inside()) return Torn();
        return nullptr;
      }
      absl::string_view rest = *block;
      const absl::StatusOr<bool> found = splitter_.Feed(&rest);
      bytes_.Skip(block->size() - rest.size());
      if (!found.ok()) return InFile(found.status());
      if (!*found) continue;
      const auto message = FromJson(splitter_.value());
      if (!message.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(bytes_.name(), ": line ", splitter_.line(),
                                                       ": ", message.status().message()));
      }
      end_of_last_ = splitter_.end_of_last();
      return std::make_shared<const std::string>(message->SerializeAsString());
    }
  }

  absl::Status InFile(const absl::Status& s) const {
    return absl::Status(s.code(), absl::StrCat(bytes_.name(), ": ", s.message()));
  }

  absl::Status Torn() const {
    return absl::DataLossError(absl::StrCat(
        bytes_.name(), ": ends within the object that begins in line ", splitter_.line(),
        "; the last whole one ends at byte ", splitter_.end_of_last()));
  }

  asset::BlockReader bytes_;
  JsonSplitter splitter_;
};

}  // namespace

std::unique_ptr<ClipReader> OpenJsonl(std::unique_ptr<files::ByteSource> source,
                                      const asset::ReadOptions& options) {
  return std::make_unique<JsonlReader>(std::move(source), options.max_json_bytes);
}

}  // namespace posewire::recording
