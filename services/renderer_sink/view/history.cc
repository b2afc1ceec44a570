#include "services/renderer_sink/view/history.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/clipio/byte_stream.h"
#include "services/renderer_sink/core/recorder.h"

namespace posewire::renderer_sink {

void History::OnHeader(const Message& message, bool anew) {
  Entry entry{true, 0, 0, std::make_shared<const std::string>(message.SerializeAsString())};
  std::lock_guard lock(mutex_);
  if (anew) {
    entries_.clear();
    bytes_ = 0;
  }
  if (entries_.empty()) {
    header_ = std::move(entry);
    return;
  }
  entry.at_s = entries_.back().at_s;
  bytes_ += entry.bytes->size();
  entries_.push_back(std::move(entry));
}

void History::OnData(const Message& message, double at_s, double receive_s) {
  Entry entry{false, at_s, receive_s,
              std::make_shared<const std::string>(message.SerializeAsString())};
  std::lock_guard lock(mutex_);
  bytes_ += entry.bytes->size();
  entries_.push_back(std::move(entry));
  while (!entries_.empty() &&
         (bytes_ > limits_.bytes || entries_.front().at_s < at_s - limits_.seconds)) {
    bytes_ -= entries_.front().bytes->size();
    if (entries_.front().is_header) header_ = std::move(entries_.front());
    entries_.pop_front();
  }
}

absl::StatusOr<std::string> History::Clip(absl::string_view extension, double from_s,
                                          double to_s) const {
  if (extension != "animdata" && extension != "jsonl" && extension != "wav") {
    return absl::InvalidArgumentError(
        absl::StrCat("a clip is animdata, jsonl or wav, not ", extension));
  }
  std::vector<Entry> entries;
  bool any = false;
  {
    std::lock_guard lock(mutex_);
    if (header_.bytes != nullptr) entries.push_back(header_);
    for (const Entry& entry : entries_) {
      if (!entry.is_header && (entry.at_s < from_s || entry.at_s >= to_s)) continue;
      any = any || !entry.is_header;
      entries.push_back(entry);
    }
  }
  if (!any) return absl::NotFoundError("nothing of that time is held");
  std::string clip, wav;
  auto recorder = Recorder::Create(
      std::make_unique<clipio::MemorySink>(extension == "jsonl" ? "clip.jsonl" : "clip.animdata",
                                           &clip),
      [&wav] { return std::make_unique<clipio::MemorySink>("clip.wav", &wav); }, {});
  if (!recorder.ok()) return recorder.status();
  for (const Entry& entry : entries) {
    Message message;
    if (!message.ParseFromString(*entry.bytes)) return absl::InternalError("a message is torn");
    const absl::Status s = entry.is_header
                               ? (*recorder)->OnHeader(message)
                               : (*recorder)->OnData(std::move(message), entry.receive_s);
    if (!s.ok()) return s;
  }
  if (absl::Status s = (*recorder)->Close(); !s.ok()) return s;
  if (extension != "wav") return clip;
  if (wav.empty()) return absl::NotFoundError("there is no voice in this clip");
  return wav;
}

}  // namespace posewire::renderer_sink
