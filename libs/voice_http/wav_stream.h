// Decodes a WAV that arrives in pieces from an untrusted server.
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
// Streaming servers write sizes that are 0, huge or wrong: the data continues to the end of the
// bytes, unless its size leads exactly to a chunk with a known name. The result does not depend on
// how the bytes are divided. One thread.
class WavStream {
 public:
  // Appends complete samples. DATA_LOSS describes how the bytes are not such a WAV.
  absl::Status Add(absl::string_view bytes, std::vector<int16_t>& samples);
  // Appends delayed samples. DATA_LOSS if the header is incomplete. Drops an incomplete frame at
  // the end.
  absl::Status Finish(std::vector<int16_t>& samples);

  int rate_hz() const { return rate_hz_; }  // 0 until the header was read
  // Number of samples that were NaN or infinite and became 0.
  int64_t not_finite() const { return not_finite_; }

 private:
  enum class At { kHeader, kData, kAfterData, kOver };
  absl::Status ReadHeader();
  absl::Status ReadForm(absl::string_view chunk);
  void Decode(absl::string_view bytes, std::vector<int16_t>& samples);
  double DecodeSample(const char* at);

  At at_ = At::kHeader;
  std::string held_;   // of the header, of a frame, or after the data
  uint64_t left_ = 0;  // of the data's size; 0: unknown
  int rate_hz_ = 0;
  uint32_t channels_ = 0;
  uint32_t bytes_ = 0;  // of one sample
  bool is_float_ = false;
  int64_t not_finite_ = 0;
};

// Returns what `bytes`, the beginning of a response, look like: "MP3", "HTML", ...; empty if
// unknown.
std::string NameOfForm(absl::string_view bytes);

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_WAV_STREAM_H_
