#include "services/a2f_source/core/play_source.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/message_times.h"
#include "services/a2f_source/core/split_message.h"

namespace posewire::a2f_source {

using nvidia_ace::animation_data::v1::AnimationData;
using nvidia_ace::animation_data::v1::AnimationDataStream;
using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;

absl::StatusOr<std::unique_ptr<PlaySource>> PlaySource::Open(const std::string& path,
                                                             const PlayOptions& options) {
  if (options.loop && path == "-") {
    return absl::InvalidArgumentError("standard input cannot be played in a loop");
  }
  auto reader = clipio::ClipReader::Open(path);
  if (!reader.ok()) return reader.status();
  return std::unique_ptr<PlaySource>(new PlaySource(path, options, *std::move(reader)));
}

absl::StatusOr<AnimationDataStreamHeader> PlaySource::Header() {
  auto first = reader_->Next();
  if (!first.ok()) return first.status();
  if (!*first) return absl::FailedPreconditionError(absl::StrCat(path_, " holds no message"));
  if (!(*first)->has_animation_data_stream_header()) {
    return absl::FailedPreconditionError(
        absl::StrCat(path_, " does not begin with a header message"));
  }
  AnimationDataStreamHeader header = std::move(*(*first)->mutable_animation_data_stream_header());
  audio_rate_hz_ = client::AudioRate(header);
  if (passes_ == 1) period_ = LoopPeriod(audio_rate_hz_);
  return header;
}

absl::StatusOr<std::optional<StreamPart>> PlaySource::Read() {
  while (true) {
    auto message = reader_->Next();
    if (!message.ok()) return message.status();
    if (!*message) return std::optional<StreamPart>();
    AnimationDataStream& m = **message;
    if (m.has_animation_data()) return StreamPart(std::move(*m.mutable_animation_data()));
    if (m.has_status() && !options_.loop) return StreamPart(std::move(*m.mutable_status()));
    if (m.has_animation_data_stream_header()) {
      return absl::InvalidArgumentError(absl::StrCat(path_, ": message ", reader_->messages(),
                                                     " is a second header; cut the file there"));
    }
  }
}

absl::Status PlaySource::StartOver() {
  if (period_.seconds() <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, " holds no time codes, and cannot be played in a loop"));
  }
  auto reader = clipio::ClipReader::Open(path_);
  if (!reader.ok()) return reader.status();
  reader_ = *std::move(reader);
  ++passes_;
  return Header().status();
}

absl::StatusOr<std::optional<StreamPart>> PlaySource::Next() {
  if (parts_.empty()) {
    auto part = Read();
    if (part.ok() && !*part && options_.loop) {
      if (absl::Status s = StartOver(); !s.ok()) return s;
      part = Read();
    }
    if (!part.ok() || !*part) return part;
    auto* data = std::get_if<AnimationData>(&**part);
    if (data == nullptr) return part;
    if (options_.loop && passes_ == 1) period_.Observe(*data);
    if (passes_ > 1) client::ShiftCodes((passes_ - 1) * period_.seconds(), *data);
    if (data->ByteSizeLong() <= options_.message_bytes) return part;
    auto parts = SplitMessage(std::move(*data), audio_rate_hz_, options_.message_bytes);
    if (!parts.ok()) return parts.status();
    parts_.assign(std::make_move_iterator(parts->begin()), std::make_move_iterator(parts->end()));
  }
  StreamPart part = std::move(parts_.front());
  parts_.pop_front();
  return part;
}

}  // namespace posewire::a2f_source
