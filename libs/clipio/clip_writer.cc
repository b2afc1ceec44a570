#include "libs/clipio/clip_writer.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "libs/asset/motion.h"
#include "libs/clipio/format_table.h"
#include "libs/clipio/open_clip.h"
#include "libs/files/file.h"
#include "libs/formats/usd/usda.h"
#include "libs/recording/animdata_frames.h"
#include "libs/recording/chunk_record.h"
#include "libs/recording/clip_reader.h"
#include "libs/recording/json_codec.h"
#include "libs/recording/motion_messages.h"
#include "libs/recording/wav_file.h"
#include "libs/timecode/audio_position.h"
#include "libs/wire/frame_reader.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::clipio {
namespace {

// A process that dies leaves at most one incomplete message. A longer tail is damage and must not
// be cut off.
constexpr int64_t kMaxTail = 8 << 20;

// Returns the end of the last whole object of a .jsonl file.
absl::StatusOr<int64_t> FindEnd(const std::string& path, int64_t size) {
  auto reader = OpenClip(path, {{}, Format::kJsonl});
  if (!reader.ok()) return reader.status();
  while (true) {
    const auto message = (*reader)->NextBytes();
    const int64_t end = (*reader)->end_of_last();
    if (absl::IsDataLoss(message.status()) && size - end <= kMaxTail) return end;
    if (!message.ok()) return message.status();
    if (*message == nullptr) return end;
  }
}

// Returns the end of the last whole message of an .animdata file, and adds its chunks to `chunks`.
// The record with its index does not count: a new one will be written.
absl::StatusOr<int64_t> FindEnd(const std::string& path, int64_t size,
                                recording::ChunkBuilder* chunks) {
  auto file = files::File::Open(path, files::File::Mode::kRead);
  if (!file.ok()) return file.status();
  recording::AnimDataFrames frames(*std::move(file), asset::FileLimits().message_bytes);
  int64_t end = 0;
  size_t last_record = 0;  // bytes of a record that may be the file's last frame
  while (true) {
    const absl::StatusOr<bool> more = frames.Next();
    if (absl::IsDataLoss(more.status()) && size - frames.start() <= kMaxTail) return end;
    if (!more.ok()) return more.status();
    if (!*more) return end;
    if (last_record > 0) chunks->Close(std::exchange(last_record, 0));
    if (!recording::IsRecord(frames.message())) {
      if (chunks->full()) chunks->Close(0);
      chunks->Add(frames.frame(), frames.message().size());
      end = frames.end();
      continue;
    }
    const std::optional<recording::ChunkRecord> record = recording::ParseRecord(frames.frame());
    if (record && record->has_index()) {
      last_record = frames.frame().size();
    } else {
      chunks->Close(frames.frame().size());
      end = frames.end();
    }
  }
}

absl::Status CheckWritten(const std::string& name, Format format) {
  if (!RowOf(format).only_read) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", RowOf(format).endings.front(),
                                                 " is only read; written are ",
                                                 FormatEndings(FormatUse::kWrite)));
}

}  // namespace

struct ClipWriter::Whole {
  explicit Whole(const WriteOptions& given)
      : options(given), reader(given.lenient ? wire::ClientLimits() : asset::FileLimits()) {}

  WriteOptions options;
  wire::FrameReader reader;
  asset::Motion motion;
  bool writes_voice = false;
  // Set from the first sample of the voice on, if this writer writes the voice.
  std::unique_ptr<recording::WavFile> wav;
  std::optional<timecode::AudioPlacer> placer;
  int64_t first_sample = 0;

  absl::Status Add(absl::string_view message) {
    const absl::Span<const uint8_t> slices[] = {
        {reinterpret_cast<const uint8_t*>(message.data()), message.size()}};
    absl::StatusOr<wire::Chunk> chunk = reader.Read(slices);
    if (!chunk.ok()) return chunk.status();
    if (auto* header = std::get_if<wire::StreamHeader>(&*chunk)) motion.Start(std::move(*header));
    const auto* const data = std::get_if<wire::DataChunk>(&*chunk);
    if (data == nullptr) return absl::OkStatus();
    motion.Append(*data);
    return data->audio && writes_voice ? AddVoice(*data->audio) : absl::OkStatus();
  }

  absl::Status AddVoice(const wire::AudioBuffer& audio) {
    if (audio.samples.empty()) return absl::OkStatus();
    const int rate_hz = motion.header->audio_rate_hz.value_or(0);
    if (wav == nullptr) {
      auto sink = options.sidecar(".wav");
      if (!sink.ok()) return sink.status();
      auto made = recording::WavFile::Create(*std::move(sink), static_cast<uint32_t>(rate_hz));
      if (!made.ok()) return made.status();
      wav = *std::move(made);
      placer.emplace(rate_hz);
    }
    const auto count = static_cast<int64_t>(audio.samples.size());
    const timecode::AudioPlacer::Placement placed = placer->Place(audio.time_code_s, count);
    if (wav->samples() == 0) first_sample = placed.first_sample;
    const int64_t at = placed.first_sample - first_sample;
    if (absl::Status s = wav->AppendSilence(at - wav->samples()); !s.ok()) return s;
    const int64_t skip = std::min(count, placed.drop);
    return wav->Append({reinterpret_cast<const char*>(audio.samples.data() + skip),
                        static_cast<size_t>(count - skip) * sizeof(int16_t)});
  }

  absl::Status WriteSplit(asset::PutBytes take) const {
    auto rig = options.sidecar(usd::kRigEnding);
    if (!rig.ok()) return rig.status();
    auto clip = options.sidecar(usd::kClipEnding);
    if (!clip.ok()) return clip.status();
    const auto to_rig = [&](absl::string_view bytes) { return (*rig)->Write(bytes); };
    const auto to_clip = [&](absl::string_view bytes) { return (*clip)->Write(bytes); };
    absl::Status status = usd::WriteSplitUsda(motion, options.stem, {take, to_rig, to_clip});
    for (const auto& file : {rig->get(), clip->get()}) {
      if (status.ok()) status = file->Sync();
      status.Update(file->Close());
    }
    return status;
  }

  absl::Status WriteValueClips(asset::PutBytes take) const {
    const auto put_file = [&](absl::string_view ending,
                              absl::FunctionRef<absl::Status(asset::PutBytes)> write) {
      auto file = options.sidecar(std::string(ending));
      if (!file.ok()) return file.status();
      absl::Status status = write([&](absl::string_view bytes) { return (*file)->Write(bytes); });
      if (status.ok()) status = (*file)->Sync();
      status.Update((*file)->Close());
      return status;
    };
    return usd::WriteClippedUsda(motion, options.stem, options.value_clips_s, put_file, take);
  }

  // Returns the name of the rescue file.
  absl::StatusOr<std::string> Rescue() const {
    auto file = options.rescue();
    if (!file.ok()) return file.status();
    std::string name = (*file)->name();
    auto writer = ClipWriter::Open(*std::move(file), {.format = Format::kAnimData});
    if (!writer.ok()) return writer.status();
    absl::Status status = recording::PutMessages(motion, [&](const wire::MessageBytes& bytes) {
      return (*writer)->WriteSerialized({wire::SpanOf(bytes)});
    });
    if (status.ok()) status = (*writer)->Sync();
    status.Update((*writer)->Close());
    if (!status.ok()) return status;
    return name;
  }

  absl::Status CloseVoice() {
    if (wav == nullptr) return absl::OkStatus();
    const auto rate_hz = static_cast<double>(placer->rate_hz());
    const double start_s = static_cast<double>(first_sample) / rate_hz;
    motion.voice = {absl::StrCat(options.stem, ".wav"), start_s,
                    start_s + static_cast<double>(wav->samples()) / rate_hz};
    return wav->Close();
  }
};

ClipWriter::ClipWriter(std::unique_ptr<files::ByteSink> sink, Format format,
                       const WriteOptions& options)
    : sink_(std::move(sink)), format_(format) {
  if (RowOf(format).write == nullptr) return;
  whole_ = std::make_unique<Whole>(options);
  if (format != Format::kUsda || options.sidecar == nullptr) {
    whole_->options.split_usd = false;
    whole_->options.value_clips_s = 0;
  }
  whole_->writes_voice = format == Format::kUsda && options.sidecar != nullptr && options.voice;
}

ClipWriter::~ClipWriter() = default;

absl::StatusOr<std::unique_ptr<ClipWriter>> ClipWriter::Open(const std::string& path,
                                                             const WriteOptions& options) {
  const absl::StatusOr<Format> format =
      options.format ? absl::StatusOr<Format>(*options.format) : FormatOf(path, FormatUse::kWrite);
  if (!format.ok()) return format.status();
  if (absl::Status s = CheckWritten(path, *format); !s.ok()) return s;
  const bool append = options.append && path != "-";
  if (append && RowOf(*format).write != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": nothing can be appended to ", RowOf(*format).endings.front()));
  }
  auto file =
      files::File::Open(path, append ? files::File::Mode::kAppend : files::File::Mode::kReplace);
  if (!file.ok()) return file.status();
  std::unique_ptr<ClipWriter> writer(new ClipWriter(*std::move(file), *format, options));
  struct stat info = {};
  if (append && ::stat(path.c_str(), &info) == 0 && info.st_size > 0) {
    const absl::StatusOr<int64_t> end = *format == Format::kJsonl
                                            ? FindEnd(path, info.st_size)
                                            : FindEnd(path, info.st_size, &writer->chunks_);
    if (!end.ok()) return end.status();
    writer->end_ = *end;
    if (absl::Status s = writer->sink_->Truncate(*end); !s.ok()) return s;
    if (*format == Format::kJsonl && *end > 0) {
      if (absl::Status s = writer->Append("\n"); !s.ok()) return s;
    }
  }
  return writer;
}

absl::StatusOr<std::unique_ptr<ClipWriter>> ClipWriter::Open(std::unique_ptr<files::ByteSink> sink,
                                                             const WriteOptions& options) {
  const absl::StatusOr<Format> format = options.format ? absl::StatusOr<Format>(*options.format)
                                                       : FormatOf(sink->name(), FormatUse::kWrite);
  if (!format.ok()) return format.status();
  if (absl::Status s = CheckWritten(sink->name(), *format); !s.ok()) return s;
  return std::unique_ptr<ClipWriter>(new ClipWriter(std::move(sink), *format, options));
}

absl::Status ClipWriter::Append(absl::string_view record) {
  absl::Status s = sink_->Write(record);
  if (s.ok()) {
    end_ += static_cast<int64_t>(record.size());
    return s;
  }
  sink_->Truncate(end_).IgnoreError();
  return s;
}

absl::Status ClipWriter::AppendMessage(size_t message_bytes) {
  if (absl::Status s = Append(record_); !s.ok()) return s;
  chunks_.Add(record_, message_bytes);
  if (!chunks_.full()) return absl::OkStatus();
  // If the record cannot be written now, the next message tries again. The message itself is in the
  // file, so this call succeeds.
  chunks_.Record(&record_);
  if (Append(record_).ok()) chunks_.Close(record_.size());
  return absl::OkStatus();
}

absl::Status ClipWriter::Close() {
  absl::Status status;
  if (format_ == Format::kAnimData) {
    if (const std::optional<std::string> record = chunks_.LastRecord()) status = Append(*record);
  } else if (whole_) {
    status = whole_->CloseVoice();
    bool rejected = status.ok();
    const auto append = [&](absl::string_view bytes) {
      absl::Status s = Append(bytes);
      if (!s.ok()) rejected = false;
      return s;
    };
    if (status.ok() && whole_->options.split_usd) {
      status = whole_->WriteSplit(append);
    } else if (status.ok() && whole_->options.value_clips_s > 0) {
      status = whole_->WriteValueClips(append);
    } else if (status.ok()) {
      status = RowOf(format_).write(whole_->motion, append);
    }
    if (!status.ok()) {
      status = absl::Status(status.code(), absl::StrCat(sink_->name(), ": ", status.message()));
    }
    if (!status.ok() && rejected && whole_->options.rescue != nullptr && held_bytes() > 0) {
      const absl::StatusOr<std::string> name = whole_->Rescue();
      status = absl::InvalidArgumentError(
          absl::StrCat(status.message(), name.ok() ? "; its keys are in " : "; its keys are lost: ",
                       name.ok() ? *name : name.status().message()));
      if (sink_->Truncate(0).ok()) end_ = 0;
    }
  }
  status.Update(sink_->Close());
  return status;
}

size_t ClipWriter::held_bytes() const { return whole_ ? whole_->motion.key_bytes() : 0; }

bool ClipWriter::full() const {
  return whole_ &&
         held_bytes() >= std::min(whole_->options.most_held_bytes, RowOf(format_).most_key_bytes);
}

void ClipWriter::SetVoice(asset::VoiceFile voice) {
  if (whole_) whole_->motion.voice = std::move(voice);
}

absl::Status ClipWriter::Write(const nvidia_ace::animation_data::v1::AnimationDataStream& message) {
  if (whole_) return whole_->Add(message.SerializeAsString());
  if (format_ == Format::kJsonl) {
    absl::StatusOr<std::string> json = recording::ToJson(message);
    if (!json.ok()) return json.status();
    json->push_back('\n');
    return Append(*json);
  }
  record_.clear();
  const size_t size = message.ByteSizeLong();
  recording::AppendVarint(size, &record_);
  if (!message.AppendToString(&record_)) {
    return absl::InvalidArgumentError(
        absl::StrCat(sink_->name(), ": a message of more than 2 GiB cannot be written"));
  }
  return AppendMessage(size);
}

absl::Status ClipWriter::WriteSerialized(absl::Span<const absl::Span<const uint8_t>> slices) {
  size_t size = 0;
  for (const auto& s : slices) size += s.size();
  record_.clear();
  if (format_ == Format::kAnimData) recording::AppendVarint(size, &record_);
  for (const auto& s : slices) record_.append(reinterpret_cast<const char*>(s.data()), s.size());
  if (format_ == Format::kAnimData) return AppendMessage(size);
  if (whole_) return whole_->Add(record_);
  nvidia_ace::animation_data::v1::AnimationDataStream message;
  if (!message.ParseFromString(record_)) {
    return absl::InvalidArgumentError(
        absl::StrCat(sink_->name(), ": the bytes are no AnimationDataStream"));
  }
  return Write(message);
}

}  // namespace posewire::clipio
