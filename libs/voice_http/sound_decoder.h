// Decodes the audio of a response, WAV or raw PCM, from pieces of bytes to samples.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_SOUND_DECODER_H_
#define POSEWIRE_LIBS_VOICE_HTTP_SOUND_DECODER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/voice_http/heard.h"
#include "libs/voice_http/wav_stream.h"

namespace posewire::voice_http {

struct SoundForm {
  bool is_pcm = false;      // else WAV
  int pcm_rate_hz = 24000;  // 16 bit, little-endian, mono
};

// Accepts a WAV when PCM was expected, but not PCM for a WAV. One thread.
class SoundDecoder {
 public:
  explicit SoundDecoder(SoundForm form) : form_(form) {}

  // Adds the next bytes, divided anywhere. DATA_LOSS as in WavStream.
  absl::Status Add(absl::string_view bytes, Heard& heard);
  // Adds the base64 text of one event. Some servers send each as a WAV of its own. DATA_LOSS for
  // broken base64, and for a WAV whose rate differs from the previous one's.
  absl::Status AddBase64(absl::string_view text, Heard& heard);
  // DATA_LOSS if there was no sample at all.
  absl::Status Finish(Heard& heard);

  int rate_hz() const { return rate_hz_; }  // 0 while unknown

 private:
  enum class Is { kUnknown, kWav, kPcm };
  absl::Status AddWav(absl::string_view bytes, Heard& heard);
  void AddPcm(absl::string_view bytes, Heard& heard);
  absl::Status FinishWav(Heard& heard);
  void NoteNotFinite(Heard& heard);

  const SoundForm form_;
  Is is_ = Is::kUnknown;
  int rate_hz_ = 0;
  bool any_ = false;  // samples
  bool noted_ = false;
  std::string held_;  // too few bytes to detect the format; a byte of a sample
  WavStream wav_;
};

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_SOUND_DECODER_H_
