// Checks needed to resume a push that broke off.
#ifndef POSEWIRE_LIBS_STREAM_RESUME_H_
#define POSEWIRE_LIBS_STREAM_RESUME_H_

#include <array>
#include <cstddef>
#include <limits>

#include "absl/status/status.h"
#include "libs/wire/chunk.h"

namespace posewire::stream {

// Checks that two headers have the same names, audio and source. INVALID_ARGUMENT names the first
// difference.
absl::Status CheckSameHeader(const wire::StreamHeader& first, const wire::StreamHeader& now);

// The end of the received data on each track, for receivers that store whole messages. One thread.
class HeldTracks {
 public:
  // `audio_rate_hz` of the header; 0: no audio.
  explicit HeldTracks(int audio_rate_hz) : audio_rate_hz_(audio_rate_hz) {
    held_s_.fill(kNothing_s);
  }

  void Add(const wire::DataChunk& chunk);
  // Returns whether everything in the chunk was added before. False if the chunk has no time codes.
  bool Has(const wire::DataChunk& chunk) const;
  // Returns the time code up to which all tracks with data have been received; -1 if no data was
  // received.
  double received_until_s() const;

 private:
  static constexpr double kNothing_s = -std::numeric_limits<double>::infinity();

  int audio_rate_hz_;
  // Index of the voice's end, after the pose tracks and camera tracks.
  static constexpr size_t kAudio = size_t{wire::kPoseTracks} + size_t{wire::kCameraTracks};
  std::array<double, kAudio + 1> held_s_;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_RESUME_H_
