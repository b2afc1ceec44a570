// The voice of a clip whose format has none: a WAV that the clip names, or one of the same name
// next to it, as recordings have it and as Audio2Face's client writes it.
#ifndef POSEWIRE_LIBS_RECORDING_VOICE_FILE_H_
#define POSEWIRE_LIBS_RECORDING_VOICE_FILE_H_

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

// The samples of a WAV, in order. Holds one block of them. Sizes in it are judged as by
// libs/recording/wav_reader.h. Errors of opening: INVALID_ARGUMENT for what is no WAV of PCM, mono,
// 16 bit; those of the source.
class VoiceFile {
 public:
  // Heard from code 0 on.
  static absl::StatusOr<VoiceFile> Open(std::unique_ptr<files::ByteSource> wav);
  // Heard as the clip says that names it.
  static absl::StatusOr<VoiceFile> Open(asset::NamedVoice voice);

  uint32_t rate_hz() const { return rate_hz_; }
  // Whether samples are left that are heard before `until_s`.
  bool Due(double until_s) const { return DueSamples(until_s) > 0; }
  // Up to half a second of these; without samples at the end of the file.
  absl::StatusOr<wire::AudioBuffer> Take(double until_s);
  // What is doubtful about the file, a sentence each, with its name.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  int64_t DueSamples(double until_s) const;

  std::unique_ptr<const std::string> bytes_;  // of wav_, where a clip gave them
  std::unique_ptr<files::ByteSource> wav_;
  std::unique_ptr<WavReader> reader_;  // of wav_
  uint32_t rate_hz_ = 0;
  int64_t samples_ = 0;  // at most
  double start_s_ = 0;   // the code of the first
  int64_t taken_ = 0;
  std::vector<std::string> warnings_;
};

// Whether two WAVs have the same rate and samples. Errors as above.
absl::StatusOr<bool> SameVoice(files::ByteSource& a, files::ByteSource& b);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_VOICE_FILE_H_
