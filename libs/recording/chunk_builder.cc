#include "libs/recording/chunk_builder.h"

#include <algorithm>
#include <cmath>

#include "libs/recording/crc32c.h"
#include "libs/wire/chunk.h"
#include "libs/wire/edit_codes.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::recording {
namespace {

constexpr size_t kSound = size_t{wire::kPoseTracks} + size_t{wire::kCameraTracks};
constexpr size_t kWithoutCode = kSound + 1;
static_assert(kSound == 8, "the bits of ClipIndex::parts");

}  // namespace

// Reserves the memory for the index of the first 16 MiB of a file.
ChunkBuilder::ChunkBuilder() {
  constexpr int kChunks = 256;
  index_.mutable_bytes()->Reserve(kChunks);
  index_.mutable_messages()->Reserve(kChunks);
  index_.mutable_parts()->Reserve(kChunks);
  index_.mutable_begin_s()->Reserve(kChunks);
  index_.mutable_all_begun_s()->Reserve(kChunks);
  index_.mutable_end_s()->Reserve(kChunks);
}

void ChunkBuilder::Note(size_t part, double begin_s, double end_s) {
  // Readers reject such time codes, so the index cannot use them.
  if (!std::isfinite(begin_s) || !std::isfinite(end_s)) part = kWithoutCode;
  const bool first = (parts_ >> part & 1) == 0;
  parts_ |= 1u << part;
  if (part == kWithoutCode) return;
  begin_s_ = std::min(begin_s_, begin_s);
  if (first) all_begun_s_ = std::max(all_begun_s_, begin_s);
  end_s_ = std::max(end_s_, end_s);
}

void ChunkBuilder::Add(absl::string_view frame, size_t message_bytes) {
  const absl::string_view message = frame.substr(frame.size() - message_bytes);
  bool coded = false;
  wire::EditCodes(
      message,
      {.key = [&](size_t track, double time_code_s) -> std::optional<double> {
         coded = true;
         Note(track, time_code_s, time_code_s);
         return time_code_s;
       },
       .audio = [&](double time_code_s, size_t samples) -> std::optional<wire::CodeEdit::Audio> {
         coded = true;
         const double length_s =
             audio_rate_hz_ > 0 ? static_cast<double>(samples) / static_cast<double>(audio_rate_hz_)
                                : 0;
         Note(kSound, time_code_s, time_code_s + length_s);
         return wire::CodeEdit::Audio{time_code_s, 0};
       }},
      &scratch_);
  last_status_.clear();
  if (!coded) {
    Note(kWithoutCode, 0, 0);
    nvidia_ace::animation_data::v1::AnimationDataStream parsed;
    const bool read = parsed.ParseFromArray(message.data(), static_cast<int>(message.size()));
    if (read && parsed.has_status()) last_status_ = std::string(message);
    if (read && parsed.has_animation_data_stream_header() && !has_header_) {
      has_header_ = true;
      const auto& header = parsed.animation_data_stream_header();
      audio_rate_hz_ = static_cast<int>(header.audio_header().samples_per_second());
      // Salvage uses this header if the start of the file is damaged. Without a header, nothing
      // else can be read.
      if (messages_ == 0) chunk_.set_header(std::string(message));
    }
  }
  chunk_.add_message_bytes(static_cast<uint32_t>(frame.size()));
  chunk_.add_message_crc32c(Crc32c(frame));
  bytes_ += frame.size();
  ++messages_;
}

bool ChunkBuilder::full() const {
  return has_header_ && (!chunk_.header().empty() || bytes_ >= uint64_t{kChunkBytes});
}

void ChunkBuilder::Close(size_t record_bytes) {
  index_.add_bytes(bytes_ + record_bytes);
  index_.add_messages(messages_);
  index_.add_parts(parts_);
  index_.add_begin_s(begin_s_);
  index_.add_all_begun_s(all_begun_s_);
  index_.add_end_s(end_s_);
  chunk_.Clear();
  bytes_ = messages_ = 0;
  parts_ = 0;
  begin_s_ = std::numeric_limits<double>::infinity();
  all_begun_s_ = end_s_ = -begin_s_;
}

std::optional<std::string> ChunkBuilder::LastRecord() {
  if (!has_header_) return std::nullopt;
  ChunkRecord last = chunk_;
  if (messages_ > 0) Close(0);
  *last.mutable_index() = index_;
  std::string frame;
  FrameRecord(last, last_status_, &frame);
  return frame;
}

}  // namespace posewire::recording
