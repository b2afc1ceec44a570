// A queue of audio samples that stores silence as a count.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_SAMPLE_QUEUE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_SAMPLE_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace posewire::anim_graph {

// Alternating stretches of silence and sound, up to 2^62 samples in total. A silence of any length
// takes as much memory and time as a single sample. Append and AppendSilence allocate beyond the
// reserved room; nothing else allocates. One thread.
class SampleQueue {
 public:
  // Reserves room for this many samples of sound, and for this many silences.
  void Reserve(size_t samples, size_t silences);

  void Append(absl::Span<const int16_t> sound);
  // Does nothing for 0 and below.
  void AppendSilence(int64_t samples);

  int64_t size() const { return size_; }
  // Number of samples that are sound.
  int64_t sounds() const { return static_cast<int64_t>(samples_.size() - first_sample_); }
  // Number of silent samples at the front; 0 if the queue begins with sound or is empty.
  int64_t silence() const { return runs() > 0 ? runs_[first_run_].silence : 0; }
  // The sound at the front, up to the next silence. Empty if the queue begins with silence. Valid
  // until the next non-const call.
  absl::Span<const int16_t> sound() const;

  // Copies the first samples without removing them. There must be at least `out.size()`.
  void Read(absl::Span<int16_t> out) const;
  // Removes the first `samples`. There must be at least that many.
  void Drop(int64_t samples);

  // Memory used by the contents.
  size_t bytes() const {
    return (samples_.size() - first_sample_) * sizeof(int16_t) + runs() * sizeof(Run);
  }

 private:
  // Silence followed by sound. Only the first run may have no silence, and only the last no sound.
  struct Run {
    int64_t silence = 0;
    size_t sound = 0;
  };
  size_t runs() const { return runs_.size() - first_run_; }

  std::vector<Run> runs_;         // from first_run_ on
  std::vector<int16_t> samples_;  // the sound of all runs, from first_sample_ on
  size_t first_run_ = 0;
  size_t first_sample_ = 0;
  int64_t size_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_SAMPLE_QUEUE_H_
