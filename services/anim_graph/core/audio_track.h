// The buffered voice of one request, at the output rate.
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

// Places pushed buffers on a line of samples (gaps become silence, repeats are dropped), changes
// the rate, and hands the samples out in order. A gap costs a few bytes and no time, be it of
// years. Append allocates; Take does not. What has another rate is converted a quarter of a second
// ahead of its use, so that a long buffer does not hold up the thread. One thread.
class AudioTrack {
 public:
  AudioTrack(int in_hz, int out_hz);

  // Samples before `not_before_s` are late and are left out.
  void Append(const wire::AudioBuffer& buffer, double not_before_s);
  // A resumed call may repeat what is held.
  void BeginsAgain() { placer_.BeginsAgain(); }
  // No more will come: hands over what the resampler held back.
  void Finish();

  // Moves the read position to `code_s`, once, before the first Take.
  void StartAt(double code_s);
  // Fills `out` with the next samples; past the end of what is held with silence. Returns how many
  // were held.
  int64_t Take(absl::Span<int16_t> out);
  // Leaves out the next `samples`, as far as they are held.
  void Skip(int64_t samples);
  // What Take hands out next: so many samples of silence where nothing was pushed, or else some of
  // those that were. With neither, nothing lies ready.
  int64_t silence() const { return ever() && read_ < first_ ? first_ - read_ : ready_.silence(); }
  absl::Span<const int16_t> sound() const;

  bool ever() const { return placer_.started(); }
  int64_t held() const;  // samples that Take can hand out now
  // Seconds of what was pushed and is not handed out yet, without the silence between buffers.
  double sound_s() const;
  // Code of the end of what was pushed.
  double end_s() const;
  // Memory that it takes.
  size_t bytes() const {
    return ready_.bytes() + waiting_ * sizeof(int16_t) +
           waiting_runs_.size() * (sizeof(Waiting) + kBlockBytes);
  }
  int64_t silence_filled() const { return silence_filled_; }
  int64_t dropped() const { return dropped_; }
  int64_t late() const { return late_; }

 private:
  // Of the heap, for the samples of one run.
  static constexpr size_t kBlockBytes = 32;

  // Pushed samples that wait to be converted.
  struct Waiting {
    // Where they begin, after silence; below 0: right behind what stands before them.
    int64_t begin = -1;
    std::vector<int16_t> samples;
    size_t at = 0;  // what lies before it has been converted
  };

  int64_t OutPosition(int64_t in_position) const;
  // Converts until at least `want` samples lie ready, or nothing waits.
  void Convert(int64_t want);
  int64_t ready_end() const { return first_ + ready_.size(); }
  // Forgets what lies before the read position.
  void Pass();

  timecode::AudioPlacer placer_;
  Resampler resampler_;
  int64_t in_hz_;
  int64_t out_hz_;
  std::deque<Waiting> waiting_runs_;  // empty when the rates are equal
  size_t waiting_ = 0;                // samples in them
  bool finish_ = false;               // no more will come: nothing is to be held back
  SampleQueue ready_;
  int64_t first_ = 0;  // position (output rate) of the first sample in ready_
  int64_t read_ = 0;   // position of the next sample to hand out
  int64_t silence_filled_ = 0;
  int64_t dropped_ = 0;
  int64_t late_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_AUDIO_TRACK_H_
