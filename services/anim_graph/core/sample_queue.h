// A queue of samples in which silence is a number.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_SAMPLE_QUEUE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_SAMPLE_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace posewire::anim_graph {

// Stretches of sound with silence between them, of up to 2^62 samples together. A silence takes as
// much memory and time as a single sample, however long it is. Append and AppendSilence allocate
// beyond what is reserved; the rest does not. One thread.
class SampleQueue {
 public:
  // Room for so many samples of sound, and for so many silences between them.
  void Reserve(size_t samples, size_t silences);

  void Append(absl::Span<const int16_t> sound);
  // Nothing for 0 and below.
  void AppendSilence(int64_t samples);

  int64_t size() const { return size_; }
  // How many of them are sound.
  int64_t sounds() const { return static_cast<int64_t>(samples_.size() - first_sample_); }
  // How many samples of silence stand at the front: 0 when sound does, or nothing.
  int64_t silence() const { return runs() > 0 ? runs_[first_run_].silence : 0; }
  // The sound at the front, up to the next silence. Empty when silence stands there. Valid until
  // the next call that is not const.
  absl::Span<const int16_t> sound() const;

  // Copies the first samples, of which there are at least `out.size()`, and leaves them there.
  void Read(absl::Span<int16_t> out) const;
  // Forgets the first samples, of which there are at least so many.
  void Drop(int64_t samples);

  // Memory that its contents take.
  size_t bytes() const {
    return (samples_.size() - first_sample_) * sizeof(int16_t) + runs() * sizeof(Run);
  }

 private:
  // Silence, and the sound behind it. Only the first may be without silence, only the last without
  // sound.
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
