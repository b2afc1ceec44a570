// What it takes for a push that broke off to go on.
#ifndef POSEWIRE_LIBS_STREAM_RESUME_H_
#define POSEWIRE_LIBS_STREAM_RESUME_H_

#include <array>
#include <cstddef>
#include <limits>

#include "absl/status/status.h"
#include "libs/wire/chunk.h"

namespace posewire::stream {

// INVALID_ARGUMENT that names what differs and must not: names, audio, or the source.
absl::Status CheckSameHeader(const wire::StreamHeader& first, const wire::StreamHeader& now);

// How far each track of a request has come, for takers that keep messages whole. One thread.
class HeldTracks {
 public:
  // `audio_rate_hz` of the header; 0: no audio.
  explicit HeldTracks(int audio_rate_hz) : audio_rate_hz_(audio_rate_hz) {
    held_s_.fill(kNothing_s);
  }

  void Add(const wire::DataChunk& chunk);
  // Whether all that stands in the chunk has been added before. Never of one without codes.
  bool Has(const wire::DataChunk& chunk) const;
  // The code up to which every track is held that there is anything of; -1: nothing is held.
  double held_s() const;

 private:
  static constexpr double kNothing_s = -std::numeric_limits<double>::infinity();

  int audio_rate_hz_;
  // The pose's, the camera's, the voice's end.
  static constexpr size_t kAudio = size_t{wire::kPoseTracks} + size_t{wire::kCameraTracks};
  std::array<double, kAudio + 1> held_s_;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_RESUME_H_
