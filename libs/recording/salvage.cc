#include "libs/recording/salvage.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/recording/chunk_record.h"
#include "libs/recording/crc32c.h"

namespace posewire::recording {
namespace {

constexpr size_t kWindowBytes = 256 << 10;
// No message of a clip is larger (FileLimits), so such a length is damaged.
constexpr uint64_t kMostMessageBytes = 512 << 20;
// Bytes of a message that suffice to detect a record: the longest length, and everything up to the
// end of the mark.
constexpr size_t kMostHeadBytes = 1 + kMarkOffset + kRecordMark.size();

// Random access to a file. Keeps the bytes near the last access in memory.
class Window {
 public:
  explicit Window(files::ByteSource& source) : source_(source), size_(source.Size()) {}

  int64_t size() const { return size_; }

  // Returns `bytes` from `offset` on, or as many as there are. Valid until the next call.
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
    start_ = offset;
    held_.resize(std::min(bytes, static_cast<size_t>(std::max<int64_t>(0, size_ - offset))));
    const absl::StatusOr<size_t> got = source_.Read(offset, absl::MakeSpan(held_));
    if (!got.ok()) return got.status();
    held_.resize(*got);
    return absl::OkStatus();
  }

  files::ByteSource& source_;
  const int64_t size_;
  int64_t start_ = 0;
  std::string held_;
};

struct FoundRecord {
  ChunkRecord record;
  int64_t start = 0, end = 0;
  int64_t chunk_start = 0;  // where the messages that it lists begin
};

class Salvager {
 public:
  Salvager(files::ByteSource& source, const SalvageVisitor& visitor)
      : file_(source), visitor_(visitor) {}

  absl::Status Run() {
    while (done_ < file_.size()) {
      const absl::StatusOr<FoundRecord> found = FindRecord();
      if (!found.ok()) return found.status();
      if (absl::Status s = Unlisted(found->chunk_start); !s.ok()) return s;
      if (absl::Status s = Listed(*found); !s.ok()) return s;
      done_ = found->end;
    }
    return absl::OkStatus();
  }

 private:
  // Returns the next record after done_. If there is none, returns one at the end of the file that
  // lists nothing.
  absl::StatusOr<FoundRecord> FindRecord() {
    for (const auto find : {&Salvager::RecordByLengths, &Salvager::RecordByMark}) {
      absl::StatusOr<std::optional<FoundRecord>> found = (this->*find)();
      if (!found.ok()) return found.status();
      if (*found) return **std::move(found);
    }
    return AtEnd();
  }

  FoundRecord AtEnd() const { return {{}, file_.size(), file_.size(), file_.size()}; }

  // Follows the lengths to the record, past messages that may contain records too. Works if nothing
  // is damaged.
  absl::StatusOr<std::optional<FoundRecord>> RecordByLengths() {
    std::optional<FoundRecord> none;
    for (int64_t at = done_; at <= file_.size();) {
      if (at == file_.size()) return AtEnd();
      const absl::StatusOr<absl::string_view> head = file_.At(at, kMostHeadBytes);
      if (!head.ok()) return head.status();
      const std::optional<Framing> framing = ReadFraming(*head);
      if (!framing || framing->message_bytes == 0) break;
      if (IsRecord(head->substr(framing->length_bytes))) {
        absl::StatusOr<std::optional<FoundRecord>> found = RecordAt(at);
        if (found.ok() && *found && (*found)->chunk_start != done_) break;
        return found;
      }
      at += static_cast<int64_t>(framing->bytes());
    }
    return none;
  }

  absl::StatusOr<std::optional<FoundRecord>> RecordByMark() {
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

  // Visits each message at the position that the record gives. If bytes are missing, so that the
  // first message would begin before done_, visits as many messages as match directly after done_,
  // and as many as match directly before the record.
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

  // Returns true if the bytes at `start` are the i-th message of a record.
  absl::StatusOr<bool> IsListed(const ChunkRecord& record, int i, int64_t start) {
    const absl::StatusOr<absl::string_view> frame = file_.At(start, record.message_bytes(i));
    if (!frame.ok()) return frame.status();
    const std::optional<Framing> framing = ReadFraming(*frame);
    return framing && framing->bytes() == record.message_bytes(i) &&
           frame->size() == record.message_bytes(i) && Crc32c(*frame) == record.message_crc32c(i);
  }

  // Visits the bytes from done_ to `end`, which no record lists.
  absl::Status Unlisted(int64_t end) {
    while (done_ < end) {
      const absl::StatusOr<bool> rest_is_record = HasRecordOfDamagedLength(end);
      if (!rest_is_record.ok()) return rest_is_record.status();
      const absl::StatusOr<absl::string_view> head = file_.At(done_, kMostHeadBytes);
      if (!head.ok()) return head.status();
      const std::optional<Framing> framing = ReadFraming(*head);
      if (*rest_is_record || !framing || framing->message_bytes > kMostMessageBytes ||
          framing->bytes() > static_cast<uint64_t>(end - done_)) {
        visitor_.lose(done_, end);
        done_ = end;
        break;
      }
      const absl::StatusOr<absl::string_view> frame =
          file_.At(done_, static_cast<size_t>(framing->bytes()));
      if (!frame.ok()) return frame.status();
      const absl::string_view message = frame->substr(framing->length_bytes);
      int64_t next = done_ + static_cast<int64_t>(framing->bytes());
      if (IsRecord(message)) {
        // Such a record is damaged, possibly in its length, unless its length has another form than
        // ours: then another program has rewritten it, and nothing is lost.
        const bool ours = framing->length_bytes == kRecordLengthBytes;
        if (ours && !EndsWithSize(*frame, framing->bytes())) next = end;
        if (ours) visitor_.lose(done_, next);
      } else if (message.empty()) {
        visitor_.lose(done_, next);  // zeros are not messages
      } else if (absl::Status s = visitor_.take(message, done_, next); !s.ok()) {
        return s;
      }
      done_ = next;
    }
    return absl::OkStatus();
  }

  // Returns true if a record begins at done_ that is intact except for its length. It then ends at
  // `end`, where the known data begins.
  absl::StatusOr<bool> HasRecordOfDamagedLength(int64_t end) {
    const absl::StatusOr<absl::string_view> head = file_.At(done_, kMostHeadBytes);
    if (!head.ok()) return head.status();
    if (!BeginsAsRecord(*head)) return false;
    const absl::StatusOr<absl::string_view> last =
        file_.At(end - static_cast<int64_t>(kSizeBytes), kSizeBytes);
    if (!last.ok()) return last.status();
    return EndsWithSize(*last, static_cast<uint64_t>(end - done_));
  }

  Window file_;
  const SalvageVisitor& visitor_;
  int64_t done_ = 0;  // everything before it was visited
};

}  // namespace

absl::Status Salvage(files::ByteSource& source, const SalvageVisitor& visitor) {
  return Salvager(source, visitor).Run();
}

}  // namespace posewire::recording
