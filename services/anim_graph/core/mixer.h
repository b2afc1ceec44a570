// Mixes the voices of one avatar into the samples of a frame.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_MIXER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_MIXER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "services/anim_graph/core/settings.h"

namespace posewire::anim_graph {

// A frame contains the samples of one tick, or of several if ticks were missed. A single voice is
// copied unchanged; several are summed in 32 bits and saturated. Allocates only in the constructor.
// One thread.
class Mixer {
 public:
  explicit Mixer(const EngineSettings& settings);

  void BeginFrame();
  // Starts the samples of tick k with silence. Add mixes a voice over all of them.
  void BeginTick(int64_t k);
  // Buffer for one voice's samples of the current tick. Fill it, then call Add.
  absl::Span<int16_t> scratch();
  void Add();
  // Whether a voice was added to any tick of the frame.
  bool voiced() const { return voiced_; }
  // Samples of the whole frame.
  absl::Span<const int16_t> samples() const { return {mixed_.data(), size_}; }

 private:
  const EngineSettings& settings_;
  std::vector<int16_t> scratch_;
  std::vector<int32_t> sum_;    // of the current tick, if it has two or more voices
  std::vector<int16_t> mixed_;  // of the frame
  size_t size_ = 0;
  size_t tick_begin_ = 0;
  int voices_ = 0;  // in the current tick
  bool voiced_ = false;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_MIXER_H_
