// Places received audio on a live film's time line at 48 kHz.
//
// The line is a sequence of samples that begins with the next ones to be taken. Received audio is
// written to its position, and positions without audio are silent, so a gap in the stream never
// moves what follows. Other rates are converted by libsamplerate, run by run: sample 0 of a run
// keeps its position to the sample.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_VOICE_LINE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_VOICE_LINE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/types/span.h"

struct SRC_STATE_tag;

namespace posewire::renderer_sink {

// One thread.
class VoiceLine {
 public:
  static constexpr int kRate_hz = 48000;
  // Maximum number of samples buffered ahead; samples beyond that are dropped.
  static constexpr int64_t kMostAhead = 40 * kRate_hz;

  VoiceLine();
  ~VoiceLine();

  // Sets the rate of the audio appended next, which begins a new run. Writes the rest of the last
  // run.
  void Begin(int rate_hz);
  // Appends samples of a run. The run's first sample goes to `at` on the line; `at` is ignored for
  // the others.
  void Append(int64_t at, absl::Span<const int16_t> samples);
  // Writes the samples left in the converter; the next Append begins a run.
  void EndRun();
  // Moves the audio appended from now on in the run by this many samples of the line.
  void Shift(int64_t samples) { run_at_ += samples; }

  // Writes the samples from `first` on, with silence where there are none. `first` must not
  // decrease.
  void Take(int64_t first, absl::Span<int16_t> out);

  // One past the last sample that was written.
  int64_t end() const { return front_ + static_cast<int64_t>(samples_.size()); }
  // Samples that arrived after their position had been taken.
  int64_t late() const { return late_; }

 private:
  void Convert(absl::Span<const int16_t> samples, bool end);
  void Write(absl::Span<const int16_t> samples);

  struct Free {
    void operator()(SRC_STATE_tag* s) const;
  };
  int rate_hz_ = kRate_hz;
  std::unique_ptr<SRC_STATE_tag, Free> converter_;  // null if the rates are equal
  bool running_ = false;
  int64_t run_at_ = 0;    // position of the run's first sample
  int64_t run_in_ = 0;    // samples received in the run
  int64_t run_made_ = 0;  // and samples written
  std::vector<float> in_, out_;
  std::vector<int16_t> made_;
  std::deque<int16_t> samples_;
  int64_t front_ = 0;  // position of the first of them
  int64_t late_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_VOICE_LINE_H_
