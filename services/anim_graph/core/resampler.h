// Streaming sample rate conversion: N input samples become round(N * out / in), and sample 0 maps
// to sample 0.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_RESAMPLER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_RESAMPLER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "services/anim_graph/core/sample_queue.h"

struct SRC_STATE_tag;

namespace posewire::anim_graph {

// Wraps libsamplerate's sinc converter. Samples pass unchanged if the rates are equal. One thread.
class Resampler {
 public:
  Resampler(int in_hz, int out_hz);
  ~Resampler();
  Resampler(Resampler&&) noexcept;
  Resampler& operator=(Resampler&&) noexcept;

  // Converts `in` and appends the result to `out`. The converter holds back a few samples until
  // more input comes. Does not allocate for inputs of up to an eighth of a second if `out` has
  // room.
  void Process(absl::Span<const int16_t> in, SampleQueue& out);
  // Appends the samples that were held back. The next Process starts a new run at sample 0.
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
  std::vector<int16_t> samples_;  // out_ as integers
  int64_t taken_ = 0;
  int64_t made_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_RESAMPLER_H_
