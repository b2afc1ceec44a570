// The buffered voice of one request, at the output rate.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_AUDIO_TRACK_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_AUDIO_TRACK_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/timecode/audio_position.h"
#include "libs/wire/chunk.h"
#include "services/anim_graph/core/resampler.h"

namespace posewire::anim_graph {

// Places pushed buffers on a line of samples (gaps become silence, repeats are dropped), changes
// the rate, and hands the samples out in order. Append allocates; Take does not. One thread.
class AudioTrack {
 public:
  AudioTrack(int in_hz, int out_hz) : placer_(in_hz), resampler_(in_hz, out_hz), out_hz_(out_hz) {}

  // Samples before `not_before_s` are late and are left out.
  void Append(const wire::AudioBuffer& buffer, double not_before_s);
  // No more will come: hands over what the resampler held back.
  void Finish();

  // Moves the read position to `code_s`, once, before the first Take.
  void StartAt(double code_s);
  // Fills `out` with the next samples; past the end of what is held with silence. Returns how many
  // were held.
  int64_t Take(absl::Span<int16_t> out);
  // Leaves out the next `samples`, as far as they are held.
  void Skip(int64_t samples);
  // The next held samples, without taking them.
  absl::Span<const int16_t> Peek() const;

  bool ever() const { return placer_.started(); }
  int64_t held() const;  // samples that Take can hand out now
  // Code of the end of what was pushed, and of the next sample that Take hands out.
  double end_s() const;
  double read_s() const { return static_cast<double>(read_) / out_hz_; }
  size_t bytes() const { return (samples_.size() - head_) * sizeof(int16_t); }
  int64_t silence_filled() const { return silence_filled_; }
  int64_t dropped() const { return dropped_; }
  int64_t late() const { return late_; }

 private:
  void Compact();

  timecode::AudioPlacer placer_;
  Resampler resampler_;
  double out_hz_;
  std::vector<int16_t> samples_;  // from head_ on
  size_t head_ = 0;
  int64_t first_ = 0;  // position (output rate) of samples_[head_]
  int64_t read_ = 0;   // position of the next sample to hand out
  int64_t silence_filled_ = 0;
  int64_t dropped_ = 0;
  int64_t late_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_AUDIO_TRACK_H_
