// The voice of a film: the samples that come, laid on the film's own time line at 48 kHz.
//
// The line is a row of samples that begins at what the film takes next. What comes is written to
// its place on it, and what nothing was written to is silence, so a hole in the stream never moves
// what comes after it. Other rates are converted by libsamplerate, run by run: sample 0 of a run
// stays on its place to the sample.
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
  // Samples that are held at most ahead of what was taken; what lies beyond is left out.
  static constexpr int64_t kMostAhead = 40 * kRate_hz;

  VoiceLine();
  ~VoiceLine();

  // What is appended next is of this rate, and follows nothing that came before. The end of what
  // did is written.
  void Begin(int rate_hz);
  // The next samples of a run. The run's first one goes to `at` on the line; of the others, `at`
  // says nothing new.
  void Append(int64_t at, absl::Span<const int16_t> samples);
  // Writes what the converter holds back; the next Append begins a run.
  void EndRun();
  // Moves what is appended from now on in the run by so many samples of the line.
  void Shift(int64_t samples) { run_at_ += samples; }

  // The samples from `first` on, silence where there are none. `first` never falls.
  void Take(int64_t first, absl::Span<int16_t> out);

  // One past the last sample that was written.
  int64_t end() const { return front_ + static_cast<int64_t>(samples_.size()); }
  // Samples that came when their place had been taken already.
  int64_t late() const { return late_; }

 private:
  void Convert(absl::Span<const int16_t> samples, bool end);
  void Write(absl::Span<const int16_t> samples);

  struct Free {
    void operator()(SRC_STATE_tag* s) const;
  };
  int rate_hz_ = kRate_hz;
  std::unique_ptr<SRC_STATE_tag, Free> converter_;  // null when the rates are equal
  bool running_ = false;
  int64_t run_at_ = 0;    // place of the run's first sample
  int64_t run_in_ = 0;    // samples of the run that came
  int64_t run_made_ = 0;  // and that were written
  std::vector<float> in_, out_;
  std::vector<int16_t> made_;
  std::deque<int16_t> samples_;
  int64_t front_ = 0;  // place of the first of them
  int64_t late_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_VOICE_LINE_H_
