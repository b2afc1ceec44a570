#include "libs/clipio/salvage.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/clipio/chunk_record.h"
#include "libs/clipio/crc32c.h"

namespace posewire::clipio {
namespace {

constexpr size_t kWindowBytes = 256 << 10;
// No message of a clip is larger (FileLimits): such a length is damaged.
constexpr uint64_t kMostMessageBytes = 512 << 20;

// Any bytes of a file; those near the last ones are in memory.
class Window {
 public:
  explicit Window(ByteSource& source) : source_(source), size_(source.Size()) {}

  int64_t size() const { return size_; }

  // `bytes` from `offset` on, or as many as there are. Until the next call.
  absl::StatusOr<absl::string_view> At(int64_t offset, size_t bytes) {
    const int64_t left = std::max<int64_t>(0, size_ - offset);
    bytes = std::min(bytes, static_cast<size_t>(left));
    const int64_t held_end = start_ + static_cast<int64_t>(held_.size());
    if (offset < start_ || offset + static_cast<int64_t>(bytes) > held_end) {
      if (absl::Status s = Hold(offset, std::max(bytes, kWindowBytes)); !s.ok()) return s;
    }
    const absl::string_view held = held_;
    return held.substr(std::min(held.size(), static_cast<size_t>(offset - start_)), bytes);
  }

 private:
  absl::Status Hold(int64_t offset, size_t bytes) {
    if (absl::Status s = source_.Seek(offset); !s.ok()) return s;
    start_ = offset;
    held_.resize(std::min(bytes, static_cast<size_t>(std::max<int64_t>(0, size_ - offset))));
    size_t n = 0;
    while (n < held_.size()) {
      const absl::StatusOr<size_t> got = source_.Read(absl::MakeSpan(held_).subspan(n));
      if (!got.ok()) return got.status();
      if (*got == 0) break;
      n += *got;
    }
    held_.resize(n);
    return absl::OkStatus();
  }

  ByteSource& source_;
  const int64_t size_;
  int64_t start_ = 0;
  std::string held_;
};

struct FoundRecord {
  ChunkRecord record;
  int64_t start = 0, end = 0;
  int64_t chunk_start = 0;  // where the messages begin that it lists
};

class Salvager {
 public:
  Salvager(ByteSource& source, const SalvageVisitor& visitor) : file_(source), visitor_(visitor) {}

  absl::Status Run() {
    while (true) {
      absl::StatusOr<std::optional<FoundRecord>> found = FindRecord();
      if (!found.ok()) return found.status();
      if (!*found) return Unlisted(file_.size());
      if (absl::Status s = Unlisted((*found)->chunk_start); !s.ok()) return s;
      if (absl::Status s = Listed(**found); !s.ok()) return s;
      done_ = (*found)->end;
    }
  }

 private:
  // The next one behind done_.
  absl::StatusOr<std::optional<FoundRecord>> FindRecord() {
    for (int64_t at = done_; at < file_.size();) {
      const absl::StatusOr<absl::string_view> bytes = file_.At(at, kWindowBytes);
      if (!bytes.ok()) return bytes.status();
      const size_t mark = bytes->find(kRecordMark);
      if (mark == absl::string_view::npos) {
        if (bytes->size() < kWindowBytes) break;
        at += static_cast<int64_t>(kWindowBytes - (kRecordMark.size() - 1));
        continue;
      }
      const int64_t start = at + static_cast<int64_t>(mark) - static_cast<int64_t>(kMarkOffset);
      absl::StatusOr<std::optional<FoundRecord>> found = RecordAt(start);
      if (!found.ok() || *found) return found;
      at += static_cast<int64_t>(mark) + 1;
    }
    return std::optional<FoundRecord>();
  }

  absl::StatusOr<std::optional<FoundRecord>> RecordAt(int64_t start) {
    std::optional<FoundRecord> none;
    if (start < done_) return none;
    const absl::StatusOr<absl::string_view> head = file_.At(start, 5);
    if (!head.ok()) return head.status();
    const std::optional<Framing> framing = ReadFraming(*head);
    const int64_t left = file_.size() - start;
    if (!framing || framing->bytes() > static_cast<uint64_t>(left)) return none;
    const absl::StatusOr<absl::string_view> frame =
        file_.At(start, static_cast<size_t>(framing->bytes()));
    if (!frame.ok()) return frame.status();
    std::optional<ChunkRecord> record = ParseRecord(*frame);
    if (!record) return none;
    int64_t chunk_start = start;
    for (const uint32_t bytes : record->message_bytes()) chunk_start -= bytes;
    return FoundRecord{*std::move(record), start, start + static_cast<int64_t>(framing->bytes()),
                       chunk_start};
  }

  // Each message where the record says; where bytes are missing, and the first of them would stand
  // before done_, as many as follow done_ at once, and as many as stand before the record.
  absl::Status Listed(const FoundRecord& found) {
    const ChunkRecord& record = found.record;
    bool from_done = found.chunk_start < done_;
    int64_t place = found.chunk_start;
    for (int i = 0; i < record.message_bytes_size(); ++i) {
      const int64_t bytes = record.message_bytes(i);
      const auto at = [&](int64_t start) { return IsListed(record, i, start); };
      const absl::StatusOr<bool> next = from_done ? at(done_) : false;
      const absl::StatusOr<bool> there =
          place >= done_ && !(next.ok() && *next) ? at(place) : false;
      if (!next.ok()) return next.status();
      if (!there.ok()) return there.status();
      from_done = *next;
      const int64_t start = *next ? done_ : place;
      place += bytes;
      const bool spare = i == 0 && !record.header().empty() && start >= done_;
      if (!*next && !*there && !spare) continue;
      if (start > done_) visitor_.lose(done_, start);
      done_ = start + bytes;
      absl::string_view message = record.header();
      if (*next || *there) {
        const absl::StatusOr<absl::string_view> frame = file_.At(start, static_cast<size_t>(bytes));
        if (!frame.ok()) return frame.status();
        message = frame->substr(ReadFraming(*frame)->length_bytes);
      }
      if (absl::Status s = visitor_.take(message, start, done_); !s.ok()) return s;
    }
    if (done_ < found.start) visitor_.lose(done_, found.start);
    return absl::OkStatus();
  }

  // Whether the i-th message of a record is what stands at `start`.
  absl::StatusOr<bool> IsListed(const ChunkRecord& record, int i, int64_t start) {
    const absl::StatusOr<absl::string_view> frame = file_.At(start, record.message_bytes(i));
    if (!frame.ok()) return frame.status();
    const std::optional<Framing> framing = ReadFraming(*frame);
    return framing && framing->bytes() == record.message_bytes(i) &&
           frame->size() == record.message_bytes(i) && Crc32c(*frame) == record.message_crc32c(i);
  }

  // From done_ to `end`, without a record that says what stands there.
  absl::Status Unlisted(int64_t end) {
    while (done_ < end) {
      const absl::StatusOr<absl::string_view> head =
          file_.At(done_, kMarkOffset + kRecordMark.size());
      if (!head.ok()) return head.status();
      const std::optional<Framing> framing = ReadFraming(*head);
      // A record that is damaged itself costs no message, but its length may be what is damaged.
      const bool record =
          head->size() > kRecordLengthBytes && IsRecord(head->substr(kRecordLengthBytes));
      int64_t next = end;
      bool framed = framing && framing->message_bytes <= kMostMessageBytes &&
                    framing->bytes() <= static_cast<uint64_t>(end - done_);
      if (framed) {
        const auto bytes = static_cast<size_t>(framing->bytes());
        next = done_ + static_cast<int64_t>(bytes);
        const absl::StatusOr<absl::string_view> frame = file_.At(done_, bytes);
        if (!frame.ok()) return frame.status();
        const absl::string_view message = frame->substr(framing->length_bytes);
        if (record) {
          framed = EndsWithItsSize(*frame);
          if (!framed) next = end;
        } else if (message.empty()) {
          framed = false;  // zeros are no messages
        } else if (absl::Status s = visitor_.take(message, done_, next); !s.ok()) {
          return s;
        }
      }
      if (!framed) visitor_.lose(done_, next);
      done_ = next;
    }
    return absl::OkStatus();
  }

  Window file_;
  const SalvageVisitor& visitor_;
  int64_t done_ = 0;  // all before it was visited
};

}  // namespace

absl::Status Salvage(ByteSource& source, const SalvageVisitor& visitor) {
  return Salvager(source, visitor).Run();
}

}  // namespace posewire::clipio
