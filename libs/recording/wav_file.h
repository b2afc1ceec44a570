// Writes a WAV that can be read at any moment while it grows.
#ifndef POSEWIRE_LIBS_RECORDING_WAV_FILE_H_
#define POSEWIRE_LIBS_RECORDING_WAV_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/files/byte_sink.h"

namespace posewire::recording {

// PCM, mono, 16 bit, little endian, after the plain header of 44 bytes. Samples go to the system at
// once; the header includes them from the next Sync on. Readers trust the header, so a crash costs
// the samples after the last Sync. A header can describe at most 4 GiB; samples beyond that are
// OUT_OF_RANGE. Other errors are those of the sink, as of File. An error leaves the WAV as it was.
// One thread.
class WavFile {
 public:
  // RIFF has 32-bit sizes.
  static constexpr int64_t kMostSamples = ((int64_t{1} << 32) - 46) / 2;

  static absl::StatusOr<std::unique_ptr<WavFile>> Create(const std::string& path, uint32_t rate_hz);
  // Begins at the start of the sink.
  static absl::StatusOr<std::unique_ptr<WavFile>> Create(std::unique_ptr<files::ByteSink> sink,
                                                         uint32_t rate_hz);
  ~WavFile();
  WavFile(const WavFile&) = delete;
  WavFile& operator=(const WavFile&) = delete;

  // Appends serialized samples: an even number of bytes.
  absl::Status Append(absl::string_view pcm);
  absl::Status AppendSilence(int64_t samples);
  // Writes the samples to disk, then the header that includes them.
  absl::Status Sync();
  // Syncs and closes. No calls may follow.
  absl::Status Close();

  int64_t samples() const { return bytes_ / 2; }
  const std::string& path() const { return sink_->name(); }

 private:
  WavFile(std::unique_ptr<files::ByteSink> sink, uint32_t rate_hz)
      : sink_(std::move(sink)), rate_hz_(rate_hz) {}
  absl::Status CheckRoom(int64_t samples) const;

  std::unique_ptr<files::ByteSink> sink_;
  uint32_t rate_hz_;
  int64_t bytes_ = 0;          // of samples
  int64_t covered_bytes_ = 0;  // by the header
  bool closed_ = false;
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_WAV_FILE_H_
