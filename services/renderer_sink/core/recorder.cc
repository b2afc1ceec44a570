#include "services/renderer_sink/core/recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/message_times.h"
#include "libs/clipio/file.h"

namespace posewire::renderer_sink {
namespace {

using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;

constexpr size_t kMostEarlyStatuses = 64;

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

// Makes an empty file. False when there is one of this name.
absl::StatusOr<bool> MakeNew(const std::string& path) {
  const int fd = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST) return false;
  if (fd >= 0) {
    close(fd);
    return true;
  }
  return absl::UnavailableError(absl::StrCat("cannot create ", path, ": ", std::strerror(errno)));
}

// Makes the first take from `take` on that has neither a clip nor a voice yet; returns its number.
absl::StatusOr<int> MakeFreeTake(const std::string& path, int take) {
  for (;; ++take) {
    const std::string clip = TakePath(path, take);
    if (access(WavPath(clip).c_str(), F_OK) == 0) continue;
    const absl::StatusOr<bool> made = MakeNew(clip);
    if (!made.ok()) return made.status();
    if (*made) return take;
  }
}

}  // namespace

std::string WavPath(const std::string& path) {
  return absl::StrCat(path.substr(0, StemLength(path)), ".wav");
}

std::string TakePath(const std::string& path, int take) {
  if (take <= 1 || path == "-") return path;
  const size_t stem = StemLength(path);
  return absl::StrCat(path.substr(0, stem), "-", take, path.substr(stem));
}

absl::StatusOr<std::unique_ptr<Recorder>> Recorder::Create(const RecorderOptions& options) {
  RecorderOptions chosen = options;
  if (options.path == "-") chosen.overwrite = true;
  if (!chosen.overwrite) {
    const absl::StatusOr<int> take = MakeFreeTake(options.path, options.take);
    if (!take.ok()) return take.status();
    chosen.take = *take;
  }
  chosen.path = TakePath(options.path, chosen.take);
  auto writer = clipio::ClipWriter::Open(chosen.path);
  if (!writer.ok()) return writer.status();
  OpenSink open_wav;
  if (options.path != "-") {
    open_wav = [path = WavPath(chosen.path),
                overwrite =
                    chosen.overwrite]() -> absl::StatusOr<std::unique_ptr<clipio::ByteSink>> {
      if (!overwrite) {
        const absl::StatusOr<bool> made = MakeNew(path);
        if (!made.ok()) return made.status();
        if (!*made) return absl::AlreadyExistsError(absl::StrCat(path, " was made by another"));
      }
      return clipio::File::Open(path, clipio::File::Mode::kReplace);
    };
  }
  return std::unique_ptr<Recorder>(
      new Recorder(std::move(chosen), *std::move(writer), std::move(open_wav)));
}

absl::StatusOr<std::unique_ptr<Recorder>> Recorder::Create(std::unique_ptr<clipio::ByteSink> clip,
                                                           OpenSink open_wav,
                                                           const RecorderOptions& options) {
  auto writer = clipio::ClipWriter::Open(std::move(clip));
  if (!writer.ok()) return writer.status();
  return std::unique_ptr<Recorder>(new Recorder(options, *std::move(writer), std::move(open_wav)));
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
  if (const uint32_t rate_hz = client::AudioRate(header); rate_hz > 0 && open_wav_) {
    auto sink = open_wav_();
    if (!sink.ok()) return sink.status();
    auto wav = WavFile::Create(*std::move(sink), rate_hz);
    if (!wav.ok()) return wav.status();
    wav_ = *std::move(wav);
  }
  if (const uint32_t rate_hz = client::AudioRate(header); rate_hz > 0) placer_.emplace(rate_hz);
  return absl::OkStatus();
}

absl::Status Recorder::WriteHeader() {
  if (header_written_ || !header_) return absl::OkStatus();
  if (const auto epoch_s = rebaser_.origin_epoch_s()) {
    header_->mutable_animation_data_stream_header()->set_start_time_code_since_epoch(*epoch_s);
  }
  if (absl::Status s = writer_->Write(*header_); !s.ok()) return s;
  header_written_ = true;
  for (const Message& status : std::exchange(early_statuses_, {})) {
    if (absl::Status s = writer_->Write(status); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Recorder::OnData(Message message, double receive_s) {
  auto& data = *message.mutable_animation_data();
  const uint32_t rate_hz = header_ ? client::AudioRate(header_->animation_data_stream_header()) : 0;
  const client::MessageTimes times = client::TimesOf(data, rate_hz);
  std::optional<timecode::AudioPlacer::Placement> placed;
  if (const auto place = rebaser_.OnMessage(times, receive_s)) {
    client::ShiftCodes(place->shift_s, data);
    if (DropHeld(data, &placed)) {
      ++left_out_;
      if (data.ByteSizeLong() == 0) return absl::OkStatus();
    }
  }
  if (absl::Status s = WriteHeader(); !s.ok()) return s;
  if (absl::Status s = writer_->Write(message); !s.ok()) return s;
  return placed && wav_ ? AppendAudio(data.audio(), *placed) : absl::OkStatus();
}

// What is there already, track by track: some senders have a message for each track, and some send
// again what they sent before their connection broke.
bool Recorder::DropHeld(nvidia_ace::animation_data::v1::AnimationData& data,
                        std::optional<timecode::AudioPlacer::Placement>* placed) {
  bool dropped = false;
  size_t track = 0;
  const auto drop = [&](auto& keys) {
    double& last_s = last_key_s_[track++];
    int held = 0;
    while (held < keys.size() && keys.Get(held).time_code() <= last_s) ++held;
    keys.DeleteSubrange(0, held);
    dropped = dropped || held > 0;
    if (!keys.empty()) last_s = keys.Get(keys.size() - 1).time_code();
  };
  if (data.has_skel_animation()) {
    auto& skel = *data.mutable_skel_animation();
    drop(*skel.mutable_blend_shape_weights());
    drop(*skel.mutable_translations());
    drop(*skel.mutable_rotations());
    drop(*skel.mutable_scales());
    if (dropped && skel.ByteSizeLong() == 0) data.clear_skel_animation();
  }
  track = 4;
  if (data.has_camera()) {
    auto& camera = *data.mutable_camera();
    drop(*camera.mutable_position());
    drop(*camera.mutable_rotation());
    drop(*camera.mutable_focal_length());
    drop(*camera.mutable_focus_distance());
    if (dropped && camera.ByteSizeLong() == 0) data.clear_camera();
  }
  if (data.has_audio() && placer_) {
    auto& audio = *data.mutable_audio();
    std::string& pcm = *audio.mutable_audio_buffer();
    *placed = placer_->Place(audio.time_code(), static_cast<int64_t>(pcm.size() / 2));
    if ((*placed)->drop > 0) {
      dropped = true;
      pcm.erase(0, std::min(pcm.size(), static_cast<size_t>((*placed)->drop) * 2));
      audio.set_time_code(static_cast<double>((*placed)->first_sample) /
                          static_cast<double>(placer_->rate_hz()));
      if (pcm.empty()) data.clear_audio();
    }
  }
  return dropped;
}

absl::Status Recorder::AppendAudio(const nvidia_ace::animation_data::v1::AudioWithTimeCode& audio,
                                   const timecode::AudioPlacer::Placement& placed) {
  if (absl::Status s = wav_->AppendSilence(placed.first_sample - wav_->samples()); !s.ok()) {
    return s;
  }
  return wav_->Append(audio.audio_buffer());
}

absl::Status Recorder::OnStatus(const Message& message) {
  if (header_written_) return writer_->Write(message);
  if (early_statuses_.size() == kMostEarlyStatuses) early_statuses_.erase(early_statuses_.begin());
  early_statuses_.push_back(message);
  return absl::OkStatus();
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
