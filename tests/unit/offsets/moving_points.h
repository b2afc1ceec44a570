// Offsets that move as a character's do: most points not at all, groups of others together.
#ifndef POSEWIRE_TESTS_UNIT_OFFSETS_MOVING_POINTS_H_
#define POSEWIRE_TESTS_UNIT_OFFSETS_MOVING_POINTS_H_

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "libs/offsets/offsets_file.h"

namespace posewire::offsets {

// Two muscles of up to 4 cm and a belly of 2 cm that swing at different times; a third is still.
inline std::vector<skel::Vec3> MovingPoints(size_t points, size_t frames, unsigned seed = 3) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> share(0.2f, 1), any(-1, 1);
  std::vector<skel::Vec3> way(points);
  for (skel::Vec3& w : way) w = skel::Vec3{any(random), any(random), any(random)} * share(random);
  std::vector<skel::Vec3> out(points * frames);
  for (size_t f = 0; f < frames; ++f) {
    const auto t = static_cast<float>(f) / 30;
    const float bend = 0.5f - 0.5f * std::cos(2 * t), swing = std::sin(5 * t) * std::exp(-t / 4);
    for (size_t i = 0; i < points; ++i) {
      const float amount = i % 3 == 0   ? 0
                           : i % 3 == 1 ? 0.025f * bend + 0.004f * bend * bend * way[i].x
                                        : 0.012f * swing + 0.003f * bend;
      out[f * points + i] = way[i] * amount;
    }
  }
  return out;
}

// The largest distance of what a file gives back.
inline double WorstError(const OffsetsFile& file, absl::Span<const skel::Vec3> values) {
  double worst = 0;
  const size_t points = file.header().points;
  std::vector<skel::Vec3> out(points);
  for (size_t c = 0; c < file.chunks(); ++c) {
    const auto chunk = file.Open(c);
    if (!chunk.ok()) return INFINITY;
    for (size_t f = 0; f < file.chunk_frames(c); ++f) {
      (*chunk)->Frame(f, absl::MakeSpan(out));
      for (size_t i = 0; i < points; ++i) {
        const skel::Vec3 expected = values[(c * kChunkFrames + f) * points + i];
        worst = std::max(worst, double{skel::Length(out[i] - expected)});
      }
    }
  }
  return worst;
}

}  // namespace posewire::offsets

#endif  // POSEWIRE_TESTS_UNIT_OFFSETS_MOVING_POINTS_H_
