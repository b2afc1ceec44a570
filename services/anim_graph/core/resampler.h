// Streaming change of sample rate: N samples in become round(N out / in), sample 0 on sample 0.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_RESAMPLER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_RESAMPLER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "services/anim_graph/core/sample_queue.h"

struct SRC_STATE_tag;

namespace posewire::anim_graph {

// Wraps libsamplerate's sinc converter. Equal rates pass bytes untouched. One thread.
class Resampler {
 public:
  Resampler(int in_hz, int out_hz);
  ~Resampler();
  Resampler(Resampler&&) noexcept;
  Resampler& operator=(Resampler&&) noexcept;

  // Appends what can be made of the input so far to `out`. A little is held back until more comes.
  // Allocates nothing for an eighth of a second at a time, when `out` has room.
  void Process(absl::Span<const int16_t> in, SampleQueue& out);
  // Appends what was held back; the next Process starts a new run on sample 0.
  void Flush(SampleQueue& out);

 private:
  void Run(absl::Span<const int16_t> in, bool end, SampleQueue& out);

  struct Free {
    void operator()(SRC_STATE_tag* s) const;
  };
  int64_t in_hz_;
  int64_t out_hz_;
  std::unique_ptr<SRC_STATE_tag, Free> state_;  // null when the rates are equal
  std::vector<float> in_;
  std::vector<float> out_;
  std::vector<int16_t> samples_;  // of out_
  int64_t taken_ = 0;
  int64_t made_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_RESAMPLER_H_
