#include "services/renderer_sink/core/recorder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "libs/recording/avatar_message.h"
#include "libs/wire/edit_codes.h"
#include "libs/wire/frame_reader.h"

namespace posewire::renderer_sink {
namespace {

constexpr size_t kMostEarly = 64;
// Both files are written to the disk, and the WAV's header updated, this often.
constexpr double kSyncPeriod_s = 0.5;
// Data in which nothing is left.
constexpr absl::string_view kEmptyData("\x12\0", 2);

bool SameFormat(const wire::StreamHeader& a, const wire::StreamHeader& b) {
  return a.joints == b.joints && a.shapes == b.shapes && a.audio_rate_hz == b.audio_rate_hz;
}

clipio::WriteOptions WriteOptionsOf(const RecorderOptions& options) {
  clipio::WriteOptions write;
  write.lenient = true;
  write.most_held_bytes = options.most_held_bytes;
  return write;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Recorder>> Recorder::Create(const RecorderOptions& options) {
  RecorderOptions chosen = options;
  clipio::WriteOptions write = WriteOptionsOf(options);
  if (options.path == "-") {
    auto writer = clipio::ClipWriter::Open(options.path, write);
    if (!writer.ok()) return writer.status();
    return std::unique_ptr<Recorder>(new Recorder(std::move(chosen), *std::move(writer), nullptr));
  }
  std::shared_ptr<TakeFiles> files;
  if (options.overwrite) {
    files = TakeFiles::Replace(options.path, options.take);
  } else {
    auto made = TakeFiles::Make(options.path, options.take, options.split_usd);
    if (!made.ok()) return made.status();
    files = *std::move(made);
  }
  chosen.take = files->take();
  chosen.path = files->path();
  const auto open = [files](const std::string& ending) { return files->Open(ending); };
  if (options.split_usd) {
    const size_t folder = chosen.path.rfind('/') + 1;
    write.split_usd = true;
    write.stem = WithEnding(chosen.path, "").substr(folder);
    write.sidecar = open;
    write.voice = false;
  }
  write.rescue = [files] { return files->OpenRescue(); };
  auto clip = open("");
  if (!clip.ok()) return clip.status();
  auto writer = clipio::ClipWriter::Open(*std::move(clip), write);
  if (!writer.ok()) return writer.status();
  std::unique_ptr<Recorder> recorder(
      new Recorder(std::move(chosen), *std::move(writer), [open] { return open(".wav"); }));
  recorder->files_ = std::move(files);
  return recorder;
}

absl::StatusOr<std::unique_ptr<Recorder>> Recorder::Create(std::unique_ptr<files::ByteSink> clip,
                                                           OpenSink open_wav,
                                                           const RecorderOptions& options) {
  auto writer = clipio::ClipWriter::Open(std::move(clip), WriteOptionsOf(options));
  if (!writer.ok()) return writer.status();
  return std::unique_ptr<Recorder>(new Recorder(options, *std::move(writer), std::move(open_wav)));
}

std::unique_ptr<Recorder> Recorder::NextTo(int number, const asset::GroundPlace& place) const {
  RecorderOptions options = options_;
  options.place = place;
  std::unique_ptr<Recorder> out(new Recorder(std::move(options), writer_, nullptr));
  out->number_ = number;
  out->shifter_ = shifter_.NextTo();
  return out;
}

absl::Status Recorder::PlaceAt(const asset::GroundPlace& place) {
  options_.place = place;
  return header_written_ ? WritePlace() : absl::OkStatus();
}

absl::Status Recorder::WritePlace() {
  return WriteBytes(recording::WrapAvatarMessage(
      {.avatar = static_cast<uint32_t>(number_), .message = "", .place = options_.place}));
}

absl::Status Recorder::OnHeader(const wire::StreamHeader& header, const wire::MessageBytes& bytes) {
  if (header_ && !SameFormat(*header_, header)) {
    return absl::FailedPreconditionError(
        "the server's joints, shapes or audio differ from those at the recording's beginning");
  }
  shifter_.OnHeader(header.epoch_s);
  if (header_) return absl::OkStatus();
  header_ = header;
  header_bytes_ = bytes;
  if (!header.audio_rate_hz) return absl::OkStatus();
  placer_.emplace(*header.audio_rate_hz);
  return absl::OkStatus();
}

absl::Status Recorder::OpenWav() {
  if (wav_) return absl::OkStatus();
  // A failure to open is reported once, and the audio is dropped.
  auto sink = std::exchange(open_wav_, nullptr)();
  if (!sink.ok()) return sink.status();
  auto wav =
      recording::WavFile::Create(*std::move(sink), static_cast<uint32_t>(placer_->rate_hz()));
  if (!wav.ok()) return wav.status();
  wav_ = *std::move(wav);
  return absl::OkStatus();
}

absl::Status Recorder::Write(absl::string_view bytes, bool faulty) {
  if (!faulty || !writer_->whole()) {
    const absl::Status s =
        number_ == 0
            ? WriteBytes(bytes)
            : WriteBytes(recording::WrapAvatarMessage({.avatar = static_cast<uint32_t>(number_),
                                                       .message = std::string(bytes),
                                                       .place = std::nullopt}));
    if (!absl::IsInvalidArgument(s)) return s;
  }
  ++left_out_;
  return absl::OkStatus();
}

absl::Status Recorder::WriteBytes(absl::string_view bytes) {
  const absl::Span<const uint8_t> slices[] = {
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}};
  return writer_->WriteSerialized(slices);
}

absl::Status Recorder::WriteHeader() {
  if (header_written_) return absl::OkStatus();
  if (header_) {
    const auto epoch_s = shifter_.origin_epoch_s();
    const wire::MessageBytes bytes =
        epoch_s ? wire::SetEpoch(*header_bytes_, *epoch_s) : header_bytes_;
    if (absl::Status s = Write(*bytes); !s.ok()) return s;
    header_written_ = true;
    if (options_.place) {
      if (absl::Status s = WritePlace(); !s.ok()) return s;
    }
  }
  if (early_.empty()) return absl::OkStatus();
  // Readers would treat data before the header as if it came after it.
  wire::FrameReader reader(wire::ClientLimits());
  wire::Chunk chunk;
  if (header_) reader.Read({wire::SpanOf(header_bytes_)}, &chunk).IgnoreError();
  for (const Early& early : std::exchange(early_, {})) {
    if (early.faulty && header_ && reader.Read({wire::SpanOf(early.bytes)}, &chunk).ok()) {
      ++left_out_;
      continue;
    }
    if (absl::Status s = Write(*early.bytes, early.faulty); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Recorder::OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                              double receive_s) {
  if (writer_->full()) {
    return absl::FailedPreconditionError(
        "the recording is written only when it ends, and its memory is full (--take-mib)");
  }
  const int rate_hz = header_ ? header_->audio_rate_hz.value_or(0) : 0;
  absl::string_view out = *bytes;
  std::optional<timecode::AudioPlacer::Placement> placed;
  if (const auto place = shifter_.OnMessage(data, rate_hz, receive_s)) {
    if (data.audio && placer_) {
      placed = placer_->Place(place->At(data.audio->time_code_s),
                              static_cast<int64_t>(data.audio->samples.size()));
      // A message that exceeds the limit by itself, as the first of a take, would not fit the next
      // one.
      if (has_voice() && placer_->position() > recording::WavFile::kMostSamples &&
          header_written_) {
        return absl::FailedPreconditionError("the voice has as many samples as a WAV can hold");
      }
    }
    const bool dropped = Edit(*bytes, *place, placed);
    if (dropped) ++left_out_;
    if (dropped && edited_ == kEmptyData) return absl::OkStatus();
    out = edited_;
  }
  if (absl::Status s = WriteHeader(); !s.ok()) return s;
  if (absl::Status s = Write(out); !s.ok()) return s;
  return placed && has_voice() ? AppendAudio(data.audio->samples, *placed) : absl::OkStatus();
}

// Drops data that was already written, track by track: some senders have a message for each track,
// and some repeat data from before their connection broke.
bool Recorder::Edit(absl::string_view bytes, const TimeCodeShifter::Place& place,
                    const std::optional<timecode::AudioPlacer::Placement>& placed) {
  bool dropped = false;
  const auto key = [&](size_t track, double time_code_s) -> std::optional<double> {
    const double moved_s = place.At(time_code_s);
    if (moved_s <= last_key_s_[track]) {
      dropped = true;
      return std::nullopt;
    }
    last_key_s_[track] = moved_s;
    return moved_s;
  };
  const auto audio = [&](double time_code_s,
                         size_t samples) -> std::optional<wire::CodeEdit::Audio> {
    if (!placed || placed->drop == 0) {
      return wire::CodeEdit::Audio{place.At(time_code_s), 0};
    }
    dropped = true;
    const auto skip = static_cast<size_t>(placed->drop);
    if (skip >= samples) return std::nullopt;
    return wire::CodeEdit::Audio{
        static_cast<double>(placed->first_sample) / static_cast<double>(placer_->rate_hz()), skip};
  };
  wire::EditCodes(bytes, {.key = key, .audio = audio}, &edited_);
  return dropped;
}

absl::Status Recorder::AppendAudio(const std::vector<int16_t>& samples,
                                   const timecode::AudioPlacer::Placement& placed) {
  if (placer_->position() > recording::WavFile::kMostSamples) {
    ++left_out_;
    return absl::OkStatus();
  }
  const auto skip = std::min(samples.size(), static_cast<size_t>(placed.drop));
  if (skip == samples.size()) return absl::OkStatus();
  if (absl::Status s = OpenWav(); !s.ok()) return s;
  if (absl::Status s = wav_->AppendSilence(placed.first_sample - wav_->samples()); !s.ok()) {
    return s;
  }
  return wav_->Append({reinterpret_cast<const char*>(samples.data() + skip),
                       (samples.size() - skip) * sizeof(int16_t)});
}

absl::Status Recorder::OnStatus(const wire::MessageBytes& bytes) {
  if (header_written_) return Write(*bytes);
  const auto is_status = [](const Early& early) { return !early.faulty; };
  if (static_cast<size_t>(std::count_if(early_.begin(), early_.end(), is_status)) == kMostEarly) {
    early_.erase(std::find_if(early_.begin(), early_.end(), is_status));
  }
  early_.push_back({bytes, /*faulty=*/false});
  return absl::OkStatus();
}

absl::Status Recorder::OnFaulty(const wire::MessageBytes& bytes) {
  if (header_written_) return Write(*bytes, /*faulty=*/true);
  early_.push_back({bytes, /*faulty=*/true});
  const auto faulty =
      std::count_if(early_.begin(), early_.end(), [](const Early& early) { return early.faulty; });
  return static_cast<size_t>(faulty) > kMostEarly ? WriteHeader() : absl::OkStatus();
}

absl::Status Recorder::Tick(double now_s) {
  if (now_s < next_sync_s_) return absl::OkStatus();
  next_sync_s_ = now_s + kSyncPeriod_s;
  if (number_ > 0) return absl::OkStatus();
  if (absl::Status s = writer_->Sync(); !s.ok()) return s;
  return wav_ ? wav_->Sync() : absl::OkStatus();
}

absl::Status Recorder::Close() {
  absl::Status status = WriteHeader();
  if (number_ > 0) return status;
  if (has_voice()) {
    const std::string wav_path = WavPath(options_.path);
    const int64_t samples = wav_ ? wav_->samples() : 0;
    writer_->SetVoice({wav_path.substr(wav_path.rfind('/') + 1), 0,
                       static_cast<double>(samples) / static_cast<double>(placer_->rate_hz())});
  }
  // A format that is written at its end cannot represent a clip without keys.
  if (!writer_->whole() || writer_->held_bytes() > 0 || left_out_ > 0) {
    if (absl::Status s = writer_->Sync(); status.ok()) status = s;
    if (absl::Status s = writer_->Close(); status.ok()) status = s;
  }
  // A clip whose header has audio gets a WAV even if there was no sample, because an existing WAV
  // belongs to another clip.
  if (has_voice() && writer_->bytes() > 0) {
    if (absl::Status s = OpenWav(); status.ok()) status = s;
  }
  if (wav_) {
    if (absl::Status s = wav_->Close(); status.ok()) status = s;
  }
  if (files_) files_->RemoveEmpty();
  return status;
}

std::vector<std::string> Recorder::Written() const {
  std::vector<std::string> paths;
  if (writer_->bytes() > 0) paths.push_back(options_.path);
  if (wav_) paths.push_back(wav_->path());
  return paths;
}

}  // namespace posewire::renderer_sink
