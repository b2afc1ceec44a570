// The buffered voice of one request, at the output sample rate.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_AUDIO_TRACK_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_AUDIO_TRACK_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/types/span.h"
#include "libs/timecode/audio_position.h"
#include "libs/wire/chunk.h"
#include "services/anim_graph/core/resampler.h"
#include "services/anim_graph/core/sample_queue.h"

namespace posewire::anim_graph {

// Places pushed buffers on a time line of samples (gaps become silence, repeats are dropped),
// converts the sample rate, and returns the samples in order. A gap costs a few bytes and no time,
// even if it is years long. Append allocates; Take does not. Samples at another rate are converted
// a quarter of a second ahead of their use, so that a long buffer does not block the thread. One
// thread.
class AudioTrack {
 public:
  AudioTrack(int in_hz, int out_hz);

  // Drops samples before `not_before_s` as late.
  void Append(const wire::AudioBuffer& buffer, double not_before_s);
  // Call when a push resumes: the source may repeat samples that are already buffered.
  void BeginsAgain() { placer_.BeginsAgain(); }
  // No more samples will come. Flushes the resampler.
  void Finish();

  // Moves the read position to time code `time_code_s`. Call once, before the first Take.
  void StartAt(double time_code_s);
  // The same for a position in samples at the output rate.
  void StartAtSample(int64_t position);
  // Position of the next sample that Take returns.
  int64_t position() const { return read_; }
  // Fills `out` with the next samples, and with silence after the end of the buffer. Returns how
  // many samples came from the buffer.
  int64_t Take(absl::Span<int16_t> out);
  // Skips the next `samples`, or fewer if fewer are buffered.
  void Skip(int64_t samples);
  // The samples that Take returns next: silence() samples of silence in a gap, otherwise the
  // samples in sound(). If both are empty, no sample is ready.
  int64_t silence() const { return ever() && read_ < first_ ? first_ - read_ : ready_.silence(); }
  absl::Span<const int16_t> sound() const;

  bool ever() const { return placer_.started(); }
  int64_t held() const;  // samples that Take can return now
  // Seconds of sound that is buffered and not yet taken, not counting silence between buffers.
  double sound_s() const;
  // Time code at the end of the last pushed buffer.
  double end_s() const;
  // Memory used.
  size_t bytes() const {
    return ready_.bytes() + waiting_ * sizeof(int16_t) +
           waiting_runs_.size() * (sizeof(Waiting) + kBlockBytes);
  }
  int64_t silence_filled() const { return silence_filled_; }
  int64_t dropped() const { return dropped_; }
  int64_t late() const { return late_; }

 private:
  // Heap overhead of one run's samples.
  static constexpr size_t kBlockBytes = 32;

  // Pushed samples waiting for conversion.
  struct Waiting {
    // Position at which they begin, after silence; below 0: directly after the previous samples.
    int64_t begin = -1;
    std::vector<int16_t> samples;
    size_t at = 0;  // samples before this index are converted
  };

  int64_t OutPosition(int64_t in_position) const;
  // Converts until at least `want` samples are ready, or none are waiting.
  void Convert(int64_t want);
  int64_t ready_end() const { return first_ + ready_.size(); }
  // Drops samples before the read position.
  void Pass();

  timecode::AudioPlacer placer_;
  Resampler resampler_;
  int64_t in_hz_;
  int64_t out_hz_;
  std::deque<Waiting> waiting_runs_;  // empty when the rates are equal
  size_t waiting_ = 0;                // samples in waiting_runs_
  bool finish_ = false;               // no more samples will come: flush the resampler
  SampleQueue ready_;
  int64_t first_ = 0;  // position (output rate) of the first sample in ready_
  int64_t read_ = 0;   // position of the next sample to return
  int64_t silence_filled_ = 0;
  int64_t dropped_ = 0;
  int64_t late_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_AUDIO_TRACK_H_
