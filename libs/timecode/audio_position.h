// Sample-accurate audio positions, counted in integers.
#ifndef POSEWIRE_LIBS_TIMECODE_AUDIO_POSITION_H_
#define POSEWIRE_LIBS_TIMECODE_AUDIO_POSITION_H_

#include <cstdint>

#include "libs/timecode/frame_rate.h"

namespace posewire::timecode {

// Returns the first sample of tick k at `rate_hz`: floor(k * rate / fps). Tick k has the samples
// from here to FirstSampleOfTick(k + 1): 533 or 534 at 16 kHz and 30 fps, exact over any length.
int64_t FirstSampleOfTick(int64_t k, int64_t rate_hz, const FrameRate& fps);

// Returns round(time code * rate).
int64_t SampleAt(double time_code_s, int64_t rate_hz);

// Computes the position of each pushed buffer, by the rules of the stream. The position is
// round(first time code * rate) + number of samples since. A time code within 20 ms of it is
// contiguous; a later one leaves a gap (to be filled with silence); an earlier one repeats samples.
class AudioPlacer {
 public:
  explicit AudioPlacer(int64_t rate_hz) : rate_hz_(rate_hz) {}

  struct Placement {
    int64_t first_sample = 0;    // position of the kept part, counted from time code 0
    int64_t silence_before = 0;  // samples of silence to insert before it
    int64_t drop = 0;            // samples to drop at the front of this buffer
  };
  Placement Place(double time_code_s, int64_t samples);
  // The sender restarts somewhere before the current position. Until the newest buffer has come
  // again, or one has reached beyond the position, buffers are placed by their distance from the
  // newest one: a buffer that begins slightly before the position is not contiguous but a repeat.
  // Only the first may be off by 2 ms.
  void BeginsAgain() { again_ = started_ ? Again::kFirst : Again::kNo; }

  bool started() const { return started_; }
  // One past the last sample placed.
  int64_t position() const { return position_; }
  int64_t rate_hz() const { return rate_hz_; }

 private:
  int64_t rate_hz_;
  int64_t position_ = 0;
  int64_t newest_at_ = 0;     // round(time code * rate) of the newest buffer of which samples were
                              // kept
  int64_t newest_first_ = 0;  // position of its first sample
  bool started_ = false;
  enum class Again : uint8_t { kNo, kFirst, kRepeats } again_ = Again::kNo;
};

}  // namespace posewire::timecode

#endif  // POSEWIRE_LIBS_TIMECODE_AUDIO_POSITION_H_
