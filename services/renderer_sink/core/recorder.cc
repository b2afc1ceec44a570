#include "services/renderer_sink/core/recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "libs/clipio/file.h"
#include "libs/clipio/usda.h"
#include "libs/wire/edit_codes.h"

namespace posewire::renderer_sink {
namespace {

constexpr size_t kMostEarly = 64;
// Data in which nothing is left.
constexpr absl::string_view kEmptyData("\x12\0", 2);

// Length of the path without its extension.
size_t StemLength(const std::string& path) {
  const size_t dot = path.rfind('.');
  const size_t slash = path.rfind('/');
  return dot == std::string::npos || (slash != std::string::npos && dot < slash) ? path.size()
                                                                                 : dot;
}

bool SameLayout(const wire::StreamHeader& a, const wire::StreamHeader& b) {
  return a.joints == b.joints && a.shapes == b.shapes && a.audio_rate_hz == b.audio_rate_hz;
}

// Makes an empty file. False when there is one of this name.
absl::StatusOr<bool> MakeNew(const std::string& path) {
  const int fd = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST) return false;
  if (fd >= 0) {
    close(fd);
    return true;
  }
  const int why = errno;
  return absl::ErrnoToStatus(why, absl::StrCat("cannot create ", path));
}

// "a/take.usda" -> "a/take" and the ending.
std::string WithEnding(const std::string& path, absl::string_view ending) {
  return absl::StrCat(path.substr(0, StemLength(path)), ending);
}

// Makes the first take from `take` on that has neither a clip nor a voice yet; returns its number.
absl::StatusOr<int> MakeFreeTake(const std::string& path, int take, bool split) {
  const auto there = [](const std::string& file) { return access(file.c_str(), F_OK) == 0; };
  for (;; ++take) {
    const std::string clip = TakePath(path, take);
    if (there(WavPath(clip))) continue;
    if (split && (there(WithEnding(clip, clipio::kRigEnding)) ||
                  there(WithEnding(clip, clipio::kClipEnding)))) {
      continue;
    }
    const absl::StatusOr<bool> made = MakeNew(clip);
    if (!made.ok()) return made.status();
    if (*made) return take;
  }
}

// Leaves the file as it is until there is something to put in its place, so that a start that fails
// costs no take.
class LateReplacement final : public clipio::ByteSink {
 public:
  explicit LateReplacement(std::unique_ptr<clipio::ByteSink> file) : file_(std::move(file)) {}

  const std::string& name() const override { return file_->name(); }
  absl::Status Write(absl::string_view bytes) override {
    if (!std::exchange(emptied_, true)) {
      if (absl::Status s = file_->Truncate(0); !s.ok()) return s;
    }
    return file_->Write(bytes);
  }
  absl::Status Overwrite(int64_t offset, absl::string_view bytes) override {
    return file_->Overwrite(offset, bytes);
  }
  absl::Status Truncate(int64_t size) override { return file_->Truncate(size); }
  absl::Status Sync() override { return file_->Sync(); }
  absl::Status Close() override { return file_->Close(); }

 private:
  const std::unique_ptr<clipio::ByteSink> file_;
  bool emptied_ = false;
};

absl::StatusOr<std::unique_ptr<clipio::ClipWriter>> OpenClip(const RecorderOptions& options) {
  clipio::WriteOptions write;
  if (options.split_usd && options.path != "-") {
    const size_t folder = options.path.rfind('/') + 1;
    write.split_usd = true;
    write.stem = options.path.substr(folder, StemLength(options.path) - folder);
    write.beside = [path = options.path](const std::string& ending) {
      return clipio::File::Open(WithEnding(path, ending), clipio::File::Mode::kReplace);
    };
  }
  if (!options.overwrite || options.path == "-") {
    return clipio::ClipWriter::Open(options.path, write);
  }
  auto file = clipio::File::Open(options.path, clipio::File::Mode::kAppend);
  if (!file.ok()) return file.status();
  return clipio::ClipWriter::Open(std::make_unique<LateReplacement>(*std::move(file)), write);
}

}  // namespace

std::string WavPath(const std::string& path) { return WithEnding(path, ".wav"); }

std::string TakePath(const std::string& path, int take) {
  if (take <= 1 || path == "-") return path;
  const size_t stem = StemLength(path);
  return absl::StrCat(path.substr(0, stem), "-", take, path.substr(stem));
}

absl::StatusOr<std::unique_ptr<Recorder>> Recorder::Create(const RecorderOptions& options) {
  RecorderOptions chosen = options;
  if (options.path == "-") chosen.overwrite = true;
  if (!chosen.overwrite) {
    const absl::StatusOr<int> take = MakeFreeTake(options.path, options.take, options.split_usd);
    if (!take.ok()) return take.status();
    chosen.take = *take;
  }
  chosen.path = TakePath(options.path, chosen.take);
  auto writer = OpenClip(chosen);
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

absl::Status Recorder::OnHeader(const wire::StreamHeader& header, const wire::MessageBytes& bytes) {
  if (header_ && !SameLayout(*header_, header)) {
    return absl::FailedPreconditionError(
        "the server's joints, shapes or audio are not those that the recording began with");
  }
  rebaser_.OnHeader(header.epoch_s);
  if (header_) return absl::OkStatus();
  header_ = header;
  header_bytes_ = bytes;
  if (!header.audio_rate_hz) return absl::OkStatus();
  placer_.emplace(*header.audio_rate_hz);
  if (!open_wav_) return absl::OkStatus();
  auto sink = open_wav_();
  if (!sink.ok()) return sink.status();
  auto wav =
      clipio::WavFile::Create(*std::move(sink), static_cast<uint32_t>(*header.audio_rate_hz));
  if (!wav.ok()) return wav.status();
  wav_ = *std::move(wav);
  return absl::OkStatus();
}

absl::Status Recorder::Write(absl::string_view bytes) {
  const absl::Span<const uint8_t> slices[] = {
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}};
  return writer_->WriteSerialized(slices);
}

absl::Status Recorder::WriteFaulty(absl::string_view bytes) {
  const absl::Status s = Write(bytes);
  if (!absl::IsInvalidArgument(s)) return s;
  ++left_out_;
  return absl::OkStatus();
}

absl::Status Recorder::WriteHeader() {
  if (header_written_) return absl::OkStatus();
  if (header_) {
    const auto epoch_s = rebaser_.origin_epoch_s();
    const wire::MessageBytes bytes =
        epoch_s ? wire::SetEpoch(*header_bytes_, *epoch_s) : header_bytes_;
    if (absl::Status s = Write(*bytes); !s.ok()) return s;
    header_written_ = true;
  }
  for (const Early& early : std::exchange(early_, {})) {
    const absl::Status s = early.faulty ? WriteFaulty(*early.bytes) : Write(*early.bytes);
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Recorder::OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                              double receive_s) {
  const int rate_hz = header_ ? header_->audio_rate_hz.value_or(0) : 0;
  absl::string_view out = *bytes;
  std::optional<timecode::AudioPlacer::Placement> placed;
  if (const auto place = rebaser_.OnMessage(wire::TimesOf(data, rate_hz), receive_s)) {
    if (data.audio && placer_) {
      placed = placer_->Place(std::max(0.0, data.audio->code_s + place->shift_s),
                              static_cast<int64_t>(data.audio->samples.size()));
    }
    const bool dropped = Edit(*bytes, place->shift_s, placed);
    if (dropped) ++left_out_;
    if (dropped && edited_ == kEmptyData) return absl::OkStatus();
    out = edited_;
  }
  if (absl::Status s = WriteHeader(); !s.ok()) return s;
  if (absl::Status s = Write(out); !s.ok()) return s;
  return placed && wav_ ? AppendAudio(data.audio->samples, *placed) : absl::OkStatus();
}

// What is there already, track by track: some senders have a message for each track, and some send
// again what they sent before their connection broke.
bool Recorder::Edit(absl::string_view bytes, double shift_s,
                    const std::optional<timecode::AudioPlacer::Placement>& placed) {
  bool dropped = false;
  const auto key = [&](size_t track, double code_s) -> std::optional<double> {
    const double moved_s = std::max(0.0, code_s + shift_s);
    if (moved_s <= last_key_s_[track]) {
      dropped = true;
      return std::nullopt;
    }
    last_key_s_[track] = moved_s;
    return moved_s;
  };
  const auto audio = [&](double code_s, size_t samples) -> std::optional<wire::CodeEdit::Audio> {
    if (!placed || placed->drop == 0) {
      return wire::CodeEdit::Audio{std::max(0.0, code_s + shift_s), 0};
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
  if (absl::Status s = wav_->AppendSilence(placed.first_sample - wav_->samples()); !s.ok()) {
    return s;
  }
  const auto skip = std::min(samples.size(), static_cast<size_t>(placed.drop));
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
  if (header_written_) return WriteFaulty(*bytes);
  early_.push_back({bytes, /*faulty=*/true});
  const auto faulty =
      std::count_if(early_.begin(), early_.end(), [](const Early& early) { return early.faulty; });
  return static_cast<size_t>(faulty) > kMostEarly ? WriteHeader() : absl::OkStatus();
}

absl::Status Recorder::Tick(double now_s) {
  if (now_s < next_sync_s_) return absl::OkStatus();
  next_sync_s_ = now_s + options_.sync_period_s;
  if (absl::Status s = writer_->Sync(); !s.ok()) return s;
  return wav_ ? wav_->Sync() : absl::OkStatus();
}

absl::Status Recorder::Close() {
  absl::Status status = WriteHeader();
  if (wav_) {
    const std::string wav_path = wav_->path();
    writer_->SetVoice({wav_path.substr(wav_path.rfind('/') + 1), 0,
                       static_cast<double>(wav_->samples()) / *header_->audio_rate_hz});
  }
  if (absl::Status s = writer_->Sync(); status.ok()) status = s;
  if (absl::Status s = writer_->Close(); status.ok()) status = s;
  if (wav_) {
    if (absl::Status s = wav_->Close(); status.ok()) status = s;
  }
  std::error_code none;
  if (empty() && std::filesystem::is_regular_file(options_.path, none) &&
      std::filesystem::file_size(options_.path, none) == 0) {
    std::filesystem::remove(options_.path, none);
  }
  return status;
}

}  // namespace posewire::renderer_sink
