#include "services/renderer_sink/core/wav_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"

namespace posewire::renderer_sink {
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

// RIFF and WAVE as Microsoft's Multimedia Programming Interface 1.0 defines them.
std::string Header(uint32_t rate_hz, int64_t data_bytes) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max() - kHeaderBytes;
  const auto data = static_cast<uint32_t>(std::min(data_bytes, kMost & ~int64_t{1}));
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

// 0, or the error's number.
int WriteAt(int fd, absl::string_view bytes, int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(fd, bytes.data(), bytes.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<size_t>(n));
    offset += n;
  }
  return 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<WavFile>> WavFile::Create(const std::string& path,
                                                         uint32_t rate_hz) {
  const int fd = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0) {
    return absl::UnavailableError(absl::StrCat("cannot create ", path, ": ", std::strerror(errno)));
  }
  std::unique_ptr<WavFile> file(new WavFile(path, fd, rate_hz));
  if (absl::Status s = file->WriteHeader(); !s.ok()) return s;
  return file;
}

WavFile::~WavFile() {
  if (fd_ >= 0) (void)Close();
}

absl::Status WavFile::Fault(absl::string_view what) const {
  const std::string text = absl::StrCat("cannot ", what, " ", path_, ": ", std::strerror(errno));
  return errno == ENOSPC || errno == EDQUOT ? absl::ResourceExhaustedError(text)
                                            : absl::UnavailableError(text);
}

absl::Status WavFile::WriteHeader() {
  errno = WriteAt(fd_, Header(rate_hz_, bytes_), 0);
  if (errno != 0) return Fault("write the header of");
  covered_bytes_ = bytes_;
  return absl::OkStatus();
}

absl::Status WavFile::Append(absl::string_view pcm) {
  if (pcm.size() % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("audio_buffer has ", pcm.size(),
                                                   " bytes; 16-bit samples take an even number"));
  }
  errno = WriteAt(fd_, pcm, kHeaderBytes + bytes_);
  if (errno != 0) return Fault("write to");
  bytes_ += static_cast<int64_t>(pcm.size());
  return absl::OkStatus();
}

absl::Status WavFile::AppendSilence(int64_t samples) {
  if (samples <= 0) return absl::OkStatus();
  // What a file grows by reads as zeros.
  if (ftruncate(fd_, kHeaderBytes + bytes_) != 0 ||
      ftruncate(fd_, kHeaderBytes + bytes_ + samples * 2) != 0) {
    return Fault("grow");
  }
  bytes_ += samples * 2;
  return absl::OkStatus();
}

absl::Status WavFile::Sync() {
  if (covered_bytes_ == bytes_) return absl::OkStatus();
  if (fdatasync(fd_) != 0) return Fault("sync");
  return WriteHeader();
}

absl::Status WavFile::Close() {
  absl::Status status = Sync();
  if (close(fd_) != 0 && status.ok()) status = Fault("close");
  fd_ = -1;
  return status;
}

}  // namespace posewire::renderer_sink
