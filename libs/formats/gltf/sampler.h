// The keys of one animation sampler, and what lies between them (glTF 2.0, appendix C).
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_SAMPLER_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_SAMPLER_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "libs/formats/gltf/document.h"

namespace posewire::gltf {

struct Sampler {
  enum class Interpolation { kLinear, kStep, kCubic };

  std::vector<double> times;  // rising; those of a rate are the very seconds of its frames
  std::vector<float> values;  // of a spline: in-tangent, value, out-tangent
  size_t width = 0;
  Interpolation interpolation = Interpolation::kLinear;
  bool turns = false;  // quaternions

  // Of keys of `width` numbers; 0: as many as there are. Nothing, noted in document.status(), for
  // one that is wrong.
  static std::optional<Sampler> Read(Document& document, const Json& sampler, size_t width,
                                     bool turns);

  // `width` numbers.
  void At(double time_s, float* out) const;
  // Adds the times of its keys, and those that a straight line needs between them.
  void AddTimes(std::vector<double>& out) const;
};

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_SAMPLER_H_
