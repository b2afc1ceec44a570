#include "libs/recording/wav_file.h"

#include "absl/strings/str_cat.h"
#include "libs/files/file.h"

namespace posewire::recording {
namespace {

constexpr int64_t kHeaderBytes = 44;

void Put16(uint32_t value, std::string& to) {
  to += static_cast<char>(value & 0xFF);
  to += static_cast<char>(value >> 8 & 0xFF);
}

void Put32(uint32_t value, std::string& to) {
  Put16(value & 0xFFFF, to);
  Put16(value >> 16, to);
}

// Writes RIFF and WAVE as defined by Microsoft's Multimedia Programming Interface 1.0.
std::string Header(uint32_t rate_hz, int64_t data_bytes) {
  const auto data = static_cast<uint32_t>(data_bytes);
  std::string h = "RIFF";
  Put32(data + kHeaderBytes - 8, h);
  h += "WAVEfmt ";
  Put32(16, h);
  Put16(1, h);  // PCM
  Put16(1, h);  // channels
  Put32(rate_hz, h);
  Put32(rate_hz * 2, h);
  Put16(2, h);
  Put16(16, h);
  h += "data";
  Put32(data, h);
  return h;
}

}  // namespace

absl::StatusOr<std::unique_ptr<WavFile>> WavFile::Create(const std::string& path,
                                                         uint32_t rate_hz) {
  auto file = files::File::Open(path, files::File::Mode::kReplace);
  if (!file.ok()) return file.status();
  return Create(*std::move(file), rate_hz);
}

absl::StatusOr<std::unique_ptr<WavFile>> WavFile::Create(std::unique_ptr<files::ByteSink> sink,
                                                         uint32_t rate_hz) {
  if (absl::Status s = sink->Write(Header(rate_hz, 0)); !s.ok()) return s;
  return std::unique_ptr<WavFile>(new WavFile(std::move(sink), rate_hz));
}

WavFile::~WavFile() {
  if (!closed_) (void)Close();
}

absl::Status WavFile::CheckRoom(int64_t samples) const {
  if (samples <= kMostSamples - this->samples()) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(path(), " has ", this->samples(), " samples, and ",
                                            samples, " more are over the ", kMostSamples,
                                            " that a WAV of 4 GiB holds"));
}

absl::Status WavFile::Append(absl::string_view pcm) {
  if (pcm.size() % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("audio_buffer has ", pcm.size(),
                                                   " bytes; 16-bit samples take an even number"));
  }
  if (absl::Status s = CheckRoom(static_cast<int64_t>(pcm.size()) / 2); !s.ok()) return s;
  if (absl::Status s = sink_->Write(pcm); !s.ok()) {
    sink_->Truncate(kHeaderBytes + bytes_).IgnoreError();
    return s;
  }
  bytes_ += static_cast<int64_t>(pcm.size());
  return absl::OkStatus();
}

absl::Status WavFile::AppendSilence(int64_t samples) {
  if (samples <= 0) return absl::OkStatus();
  if (absl::Status s = CheckRoom(samples); !s.ok()) return s;
  if (absl::Status s = sink_->Truncate(kHeaderBytes + bytes_ + samples * 2); !s.ok()) return s;
  bytes_ += samples * 2;
  return absl::OkStatus();
}

absl::Status WavFile::Sync() {
  if (covered_bytes_ == bytes_) return absl::OkStatus();
  if (absl::Status s = sink_->Sync(); !s.ok()) return s;
  if (absl::Status s = sink_->Overwrite(0, Header(rate_hz_, bytes_)); !s.ok()) return s;
  covered_bytes_ = bytes_;
  return absl::OkStatus();
}

absl::Status WavFile::Close() {
  closed_ = true;
  absl::Status status = Sync();
  if (absl::Status s = sink_->Close(); status.ok()) status = s;
  return status;
}

}  // namespace posewire::recording
