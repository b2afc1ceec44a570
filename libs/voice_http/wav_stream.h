// The samples of a WAV that arrives in pieces from a server that is not trusted.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_WAV_STREAM_H_
#define POSEWIRE_LIBS_VOICE_HTTP_WAV_STREAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::voice_http {

// RIFF and RF64 with PCM of 16, 24 or 32 bits or float of 32, plain or WAVE_FORMAT_EXTENSIBLE; 1 to
// 8 channels, which are averaged; 8 to 192 kHz.
//
// Streaming servers write sizes that are 0, huge or wrong: the data go on to the end of the bytes,
// unless their size leads exactly to a chunk of a known name. Any split of the bytes gives the same
// samples. One thread.
class WavStream {
 public:
  // Appends the samples that are complete. DATA_LOSS says what is no such WAV.
  absl::Status Add(absl::string_view bytes, std::vector<int16_t>& samples);
  // Appends what was held back. DATA_LOSS if the header is not complete. Part of a frame at the end
  // is dropped.
  absl::Status Finish(std::vector<int16_t>& samples);

  int rate_hz() const { return rate_hz_; }  // 0 until the header is there
  // Samples that are NaN or infinite, which became 0.
  int64_t not_finite() const { return not_finite_; }

 private:
  enum class At { kHeader, kData, kAfterData, kOver };
  absl::Status ReadHeader();
  absl::Status ReadForm(absl::string_view chunk);
  void Decode(absl::string_view bytes, std::vector<int16_t>& samples);
  double DecodeSample(const char* at);

  At at_ = At::kHeader;
  std::string held_;   // of the header, of a frame, or after the data
  uint64_t left_ = 0;  // of the data's size; 0: it is not known
  int rate_hz_ = 0;
  uint32_t channels_ = 0;
  uint32_t bytes_ = 0;  // of one sample
  bool is_float_ = false;
  int64_t not_finite_ = 0;
};

// What `bytes`, the beginning of a sound, look like: "MP3", "HTML", ...; empty if unknown.
std::string NameOfForm(absl::string_view bytes);

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_WAV_STREAM_H_
