// Small WAVs for tests.
#ifndef POSEWIRE_TESTS_UNIT_VOICE_HTTP_WAV_BYTES_H_
#define POSEWIRE_TESTS_UNIT_VOICE_HTTP_WAV_BYTES_H_

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"

namespace posewire::voice_http {

template <typename T>
std::string Bytes(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

struct WavSpec {
  uint16_t kind = 1;
  uint16_t channels = 1;
  uint32_t rate = 24000;
  uint16_t bits = 16;
  uint32_t data_size = 0xFFFFFFFF;
  bool extensible = false;
  std::string before_data = {};
};

inline std::string WavHeader(const WavSpec& w) {
  const auto frame = static_cast<uint16_t>(w.channels * w.bits / 8);
  std::string form = Bytes<uint16_t>(w.extensible ? 0xFFFE : w.kind) + Bytes(w.channels) +
                     Bytes(w.rate) + Bytes<uint32_t>(w.rate * frame) + Bytes(frame) + Bytes(w.bits);
  if (w.extensible) {
    form += Bytes<uint16_t>(22) + Bytes(w.bits) + Bytes<uint32_t>(0) + Bytes(w.kind) +
            std::string("\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71", 14);
  }
  return "RIFF" + Bytes<uint32_t>(0) + "WAVEfmt " + Bytes(static_cast<uint32_t>(form.size())) +
         form + w.before_data + "data" + Bytes(w.data_size);
}

}  // namespace posewire::voice_http

#endif  // POSEWIRE_TESTS_UNIT_VOICE_HTTP_WAV_BYTES_H_
