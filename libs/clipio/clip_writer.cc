#include "libs/clipio/clip_writer.h"

#include <sys/stat.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_reader.h"
#include "libs/clipio/file.h"
#include "libs/clipio/json_codec.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::clipio {
namespace {

void AppendVarint(uint64_t v, std::string* out) {
  while (v >= 0x80) {
    out->push_back(static_cast<char>(v | 0x80));
    v >>= 7;
  }
  out->push_back(static_cast<char>(v));
}

// A process that dies tears one message; a longer tail is damage, which is not for us to cut.
constexpr int64_t kMaxTail = 8 << 20;

// Where the last whole message ends.
absl::StatusOr<int64_t> FindEnd(const std::string& path, Format format, int64_t size) {
  ReadOptions options;
  options.format = format;
  auto reader = ClipReader::Open(path, options);
  if (!reader.ok()) return reader.status();
  while (true) {
    const auto message = (*reader)->NextSerialized();
    const int64_t end = (*reader)->end_of_last();
    if (absl::IsDataLoss(message.status()) && size - end <= kMaxTail) return end;
    if (!message.ok()) return message.status();
    if (!*message) return end;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<ClipWriter>> ClipWriter::Open(const std::string& path,
                                                             const WriteOptions& options) {
  const absl::StatusOr<Format> format =
      options.format ? absl::StatusOr<Format>(*options.format) : FormatOf(path);
  if (!format.ok()) return format.status();
  const bool append = options.append && path != "-";
  auto file = File::Open(path, append ? File::Mode::kAppend : File::Mode::kReplace);
  if (!file.ok()) return file.status();
  std::unique_ptr<ClipWriter> writer(new ClipWriter(*std::move(file), *format));
  struct stat info = {};
  if (append && ::stat(path.c_str(), &info) == 0 && info.st_size > 0) {
    const absl::StatusOr<int64_t> end = FindEnd(path, *format, info.st_size);
    if (!end.ok()) return end.status();
    writer->end_ = *end;
    if (absl::Status s = writer->sink_->Truncate(*end); !s.ok()) return s;
    if (*format == Format::kJsonl && *end > 0) {
      if (absl::Status s = writer->Append("\n"); !s.ok()) return s;
    }
  }
  return writer;
}

absl::StatusOr<std::unique_ptr<ClipWriter>> ClipWriter::Open(std::unique_ptr<ByteSink> sink,
                                                             const WriteOptions& options) {
  const absl::StatusOr<Format> format =
      options.format ? absl::StatusOr<Format>(*options.format) : FormatOf(sink->name());
  if (!format.ok()) return format.status();
  return std::unique_ptr<ClipWriter>(new ClipWriter(std::move(sink), *format));
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

absl::Status ClipWriter::Write(const nvidia_ace::animation_data::v1::AnimationDataStream& message) {
  if (format_ == Format::kJsonl) {
    absl::StatusOr<std::string> json = ToJson(message);
    if (!json.ok()) return json.status();
    json->push_back('\n');
    return Append(*json);
  }
  record_.clear();
  AppendVarint(message.ByteSizeLong(), &record_);
  if (!message.AppendToString(&record_)) {
    return absl::InvalidArgumentError(
        absl::StrCat(sink_->name(), ": a message of more than 2 GiB cannot be written"));
  }
  return Append(record_);
}

absl::Status ClipWriter::WriteSerialized(absl::Span<const absl::Span<const uint8_t>> slices) {
  size_t size = 0;
  for (const auto& s : slices) size += s.size();
  record_.clear();
  if (format_ == Format::kAnimData) AppendVarint(size, &record_);
  for (const auto& s : slices) record_.append(reinterpret_cast<const char*>(s.data()), s.size());
  if (format_ == Format::kAnimData) return Append(record_);
  nvidia_ace::animation_data::v1::AnimationDataStream message;
  if (!message.ParseFromString(record_)) {
    return absl::InvalidArgumentError(
        absl::StrCat(sink_->name(), ": the bytes are no AnimationDataStream"));
  }
  return Write(message);
}

}  // namespace posewire::clipio
