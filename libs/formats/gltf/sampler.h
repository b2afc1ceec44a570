// The keys of one animation sampler, and their interpolation (glTF 2.0, appendix C).
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_SAMPLER_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_SAMPLER_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "libs/formats/gltf/document.h"

namespace posewire::gltf {

struct Sampler {
  enum class Interpolation { kLinear, kStep, kCubic };

  // ascending; times of a frame rate are the exact seconds of its frames
  std::vector<double> times;
  std::vector<float> values;  // for a spline: in-tangent, value, out-tangent
  size_t width = 0;
  Interpolation interpolation = Interpolation::kLinear;
  bool turns = false;  // rotations: quaternions

  // Reads keys of `width` numbers; 0: as many as there are. Nothing, with the fault in
  // document.status(), for an invalid one.
  static std::optional<Sampler> Read(Document& document, const Json& sampler, size_t width,
                                     bool turns);

  // Writes `width` numbers.
  void At(double time_s, float* out) const;
  // Adds the times of its keys, and those needed between them for linear interpolation.
  void AddTimes(std::vector<double>& out) const;
};

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_SAMPLER_H_
