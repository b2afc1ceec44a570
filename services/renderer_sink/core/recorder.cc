#include "services/renderer_sink/core/recorder.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/message_times.h"

namespace posewire::renderer_sink {
namespace {

using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;

// Length of the path without its extension.
size_t StemLength(const std::string& path) {
  const size_t dot = path.rfind('.');
  const size_t slash = path.rfind('/');
  return dot == std::string::npos || (slash != std::string::npos && dot < slash) ? path.size()
                                                                                 : dot;
}

bool SameLayout(const AnimationDataStreamHeader& a, const AnimationDataStreamHeader& b) {
  return a.skel_animation_header().SerializeAsString() ==
             b.skel_animation_header().SerializeAsString() &&
         client::AudioRate(a) == client::AudioRate(b);
}

}  // namespace

std::string WavPath(const std::string& path) {
  return absl::StrCat(path.substr(0, StemLength(path)), ".wav");
}

std::string PartPath(const std::string& path, int part) {
  if (part <= 1) return path;
  const size_t stem = StemLength(path);
  return absl::StrCat(path.substr(0, stem), ".", part, path.substr(stem));
}

absl::StatusOr<std::unique_ptr<Recorder>> Recorder::Create(const RecorderOptions& options) {
  auto writer = clipio::ClipWriter::Open(options.path);
  if (!writer.ok()) return writer.status();
  return std::unique_ptr<Recorder>(new Recorder(options, *std::move(writer)));
}

absl::Status Recorder::OnHeader(const Message& message) {
  const AnimationDataStreamHeader& header = message.animation_data_stream_header();
  if (header_ && !SameLayout(header_->animation_data_stream_header(), header)) {
    return absl::FailedPreconditionError(
        "the server's joints, shapes or audio are not those that the recording began with");
  }
  rebaser_.OnHeader(header.start_time_code_since_epoch());
  if (header_) return absl::OkStatus();
  header_ = message;
  if (const uint32_t rate_hz = client::AudioRate(header); rate_hz > 0 && options_.path != "-") {
    auto wav = WavFile::Create(WavPath(options_.path), rate_hz);
    if (!wav.ok()) return wav.status();
    wav_ = *std::move(wav);
    placer_.emplace(rate_hz);
  }
  return absl::OkStatus();
}

absl::Status Recorder::WriteHeader() {
  if (header_written_ || !header_) return absl::OkStatus();
  if (const auto epoch_s = rebaser_.origin_epoch_s()) {
    header_->mutable_animation_data_stream_header()->set_start_time_code_since_epoch(*epoch_s);
  }
  if (absl::Status s = writer_->Write(*header_); !s.ok()) return s;
  header_written_ = true;
  return absl::OkStatus();
}

absl::Status Recorder::OnData(Message message, double receive_s) {
  auto& data = *message.mutable_animation_data();
  const uint32_t rate_hz = header_ ? client::AudioRate(header_->animation_data_stream_header()) : 0;
  const client::MessageTimes times = client::TimesOf(data, rate_hz);
  if (const auto place = rebaser_.OnMessage(times, receive_s)) {
    client::ShiftCodes(place->shift_s, data);
    if (std::isfinite(times.first_pose_s)) {
      const double pose_s = times.first_pose_s + place->shift_s;
      if (pose_s <= last_pose_s_) {
        ++left_out_;
        return absl::OkStatus();
      }
      last_pose_s_ = pose_s;
    }
  }
  if (absl::Status s = WriteHeader(); !s.ok()) return s;
  if (absl::Status s = writer_->Write(message); !s.ok()) return s;
  return data.has_audio() && wav_ ? AppendAudio(data.audio()) : absl::OkStatus();
}

absl::Status Recorder::AppendAudio(const nvidia_ace::animation_data::v1::AudioWithTimeCode& audio) {
  const absl::string_view pcm = audio.audio_buffer();
  const auto samples = static_cast<int64_t>(pcm.size() / 2);
  const auto place = placer_->Place(audio.time_code(), samples);
  if (absl::Status s = wav_->AppendSilence(place.first_sample - wav_->samples()); !s.ok()) return s;
  return wav_->Append(pcm.substr(std::min(pcm.size(), static_cast<size_t>(place.drop) * 2)));
}

absl::Status Recorder::OnStatus(const Message& message) {
  // Before the first code the header's epoch is not known yet, and a header comes first.
  if (!header_written_) return absl::OkStatus();
  return writer_->Write(message);
}

absl::Status Recorder::Tick(double now_s) {
  if (now_s < next_sync_s_) return absl::OkStatus();
  next_sync_s_ = now_s + options_.sync_period_s;
  if (absl::Status s = writer_->Sync(); !s.ok()) return s;
  return wav_ ? wav_->Sync() : absl::OkStatus();
}

absl::Status Recorder::Close() {
  absl::Status status = WriteHeader();
  if (absl::Status s = writer_->Sync(); status.ok()) status = s;
  if (absl::Status s = writer_->Close(); status.ok()) status = s;
  if (wav_) {
    if (absl::Status s = wav_->Close(); status.ok()) status = s;
  }
  return status;
}

}  // namespace posewire::renderer_sink
