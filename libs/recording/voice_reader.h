// The voice of a clip whose format has no sound: a WAV that the clip names, or one of the same name
// next to it, as recordings and Audio2Face's client write it.
#ifndef POSEWIRE_LIBS_RECORDING_VOICE_READER_H_
#define POSEWIRE_LIBS_RECORDING_VOICE_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/asset/motion_reader.h"
#include "libs/files/byte_source.h"
#include "libs/recording/wav_reader.h"
#include "libs/wire/chunk.h"

namespace posewire::recording {

// Reads the samples of a WAV in order, one block at a time. Treats the sizes in it like
// libs/recording/wav_reader.h. Errors of opening: INVALID_ARGUMENT for a file that is not a WAV of
// PCM, mono, 16 bit; those of the source.
class VoiceReader {
 public:
  // Begins at time code 0.
  static absl::StatusOr<VoiceReader> Open(std::unique_ptr<files::ByteSource> wav);
  // Begins and ends as the clip specifies.
  static absl::StatusOr<VoiceReader> Open(asset::NamedVoice voice);

  uint32_t rate_hz() const { return rate_hz_; }
  // Returns true if there are samples left that begin before `until_s`.
  bool Due(double until_s) const { return DueSamples(until_s) > 0; }
  // Returns up to half a second of them; no samples at the end of the file.
  absl::StatusOr<wire::AudioBuffer> Take(double until_s);
  // Doubts about the file, a sentence each, with its name.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  int64_t DueSamples(double until_s) const;

  std::unique_ptr<const std::string> bytes_;  // of wav_, if a clip provided them
  std::unique_ptr<files::ByteSource> wav_;
  std::unique_ptr<WavReader> reader_;  // of wav_
  uint32_t rate_hz_ = 0;
  int64_t samples_ = 0;  // upper bound
  double start_s_ = 0;   // time code of the first sample
  int64_t taken_ = 0;
  std::vector<std::string> warnings_;
};

// Returns true if two WAVs have the same rate and samples. Errors as above.
absl::StatusOr<bool> SameVoice(files::ByteSource& a, files::ByteSource& b);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_VOICE_READER_H_
