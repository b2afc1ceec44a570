#include "services/renderer_sink/view/history.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/files/byte_sink.h"
#include "libs/wire/frame_reader.h"
#include "services/renderer_sink/core/recorder.h"

namespace posewire::renderer_sink {
namespace {

// Memory of an entry in addition to its bytes, because there are many small messages.
constexpr size_t kEntry_bytes = 128;
constexpr absl::string_view kClips[] = {"animdata", "jsonl", "glb", "bvh", "vrma", "wav"};

size_t SizeOf(const wire::MessageBytes& bytes) { return kEntry_bytes + bytes->size(); }

}  // namespace

void History::OnHeader(const wire::MessageBytes& bytes, bool anew) {
  std::lock_guard lock(mutex_);
  if (anew) {
    entries_.clear();
    bytes_ = 0;
  }
  if (entries_.empty()) {
    header_ = {true, 0, 0, bytes};
  } else {
    Add({true, entries_.back().at_s, 0, bytes});
  }
}

void History::OnMessage(const wire::MessageBytes& bytes, double at_s, double receive_s) {
  std::lock_guard lock(mutex_);
  Add({false, at_s, receive_s, bytes});
}

void History::Add(Entry entry) {
  const double at_s = entry.at_s;
  bytes_ += SizeOf(entry.bytes);
  entries_.push_back(std::move(entry));
  while (!entries_.empty() &&
         (bytes_ > limits_.bytes || entries_.front().at_s < at_s - limits_.seconds)) {
    bytes_ -= SizeOf(entries_.front().bytes);
    if (entries_.front().is_header) header_ = std::move(entries_.front());
    entries_.pop_front();
  }
}

namespace {

// Repeats the validation of a pull, with the same results as when the messages arrived.
absl::Status Record(const wire::MessageBytes& bytes, double receive_s, wire::FrameReader& reader,
                    wire::Chunk& chunk, Recorder& recorder) {
  if (!reader.Read({wire::SpanOf(bytes)}, &chunk).ok()) return recorder.OnFaulty(bytes);
  if (const auto* header = std::get_if<wire::StreamHeader>(&chunk)) {
    return recorder.OnHeader(*header, bytes);
  }
  if (const auto* data = std::get_if<wire::DataChunk>(&chunk)) {
    return recorder.OnData(*data, bytes, receive_s);
  }
  return recorder.OnStatus(bytes);
}

}  // namespace

absl::StatusOr<std::string> History::Clip(absl::string_view extension, double from_s,
                                          double to_s) const {
  if (std::find(std::begin(kClips), std::end(kClips), extension) == std::end(kClips)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a clip is ", absl::StrJoin(kClips, ", "), " and not ", extension));
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
  if (!any) return absl::NotFoundError("no frames of that time are held (--keep-s)");
  std::string clip, wav;
  auto recorder = Recorder::Create(
      std::make_unique<files::MemorySink>(
          absl::StrCat("clip.", extension == "wav" ? "animdata" : extension), &clip),
      [&wav] { return std::make_unique<files::MemorySink>("clip.wav", &wav); }, {});
  if (!recorder.ok()) return recorder.status();
  wire::FrameReader reader(wire::ClientLimits());
  wire::Chunk chunk;
  for (const Entry& entry : entries) {
    const absl::Status s = Record(entry.bytes, entry.receive_s, reader, chunk, **recorder);
    if (!s.ok()) return s;
  }
  if (absl::Status s = (*recorder)->Close(); !s.ok()) return s;
  if (extension != "wav") return clip;
  if (wav.empty()) return absl::NotFoundError("there is no voice in this clip");
  return wav;
}

}  // namespace posewire::renderer_sink
