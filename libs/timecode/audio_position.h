// Sample-accurate audio positions: everything counts samples in integers.
#ifndef POSEWIRE_LIBS_TIMECODE_AUDIO_POSITION_H_
#define POSEWIRE_LIBS_TIMECODE_AUDIO_POSITION_H_

#include <cstdint>

#include "libs/timecode/frame_rate.h"

namespace posewire::timecode {

// First sample of tick k at `rate_hz`: floor(k rate / fps). Tick k carries the samples from here to
// FirstSampleOfTick(k + 1): 533 or 534 at 16 kHz and 30 fps, exact over any length.
int64_t FirstSampleOfTick(int64_t k, int64_t rate_hz, const FrameRate& fps);

// round(code x rate).
int64_t SampleAt(double code_s, int64_t rate_hz);

// Where the next pushed buffer belongs, by the rules of the stream: the position is round(first
// code x rate) + samples since; a code within 20 ms of it is contiguous; a later one leaves a gap
// (to be filled with silence); an earlier one repeats samples already held.
class AudioPlacer {
 public:
  explicit AudioPlacer(int64_t rate_hz) : rate_hz_(rate_hz) {}

  struct Placement {
    int64_t first_sample = 0;    // where the kept part starts, counted from code 0
    int64_t silence_before = 0;  // samples of silence to put before it
    int64_t drop = 0;            // samples of this buffer to leave out, at its front
  };
  Placement Place(double code_s, int64_t samples);
  // The sender begins again, somewhere before the position. Until the newest buffer has come again,
  // or one has reached beyond the position, buffers are placed by their distance from the newest:
  // one that begins a little before the position is not contiguous, but repeats what is there. Only
  // the first may be 2 ms off.
  void BeginsAgain() { again_ = started_ ? Again::kFirst : Again::kNo; }

  bool started() const { return started_; }
  // One past the last sample placed.
  int64_t position() const { return position_; }
  int64_t rate_hz() const { return rate_hz_; }

 private:
  int64_t rate_hz_;
  int64_t position_ = 0;
  int64_t newest_at_ = 0;     // round(code x rate) of the newest buffer of which something was kept
  int64_t newest_first_ = 0;  // where its first sample belongs
  bool started_ = false;
  enum class Again : uint8_t { kNo, kFirst, kRepeats } again_ = Again::kNo;
};

}  // namespace posewire::timecode

#endif  // POSEWIRE_LIBS_TIMECODE_AUDIO_POSITION_H_
