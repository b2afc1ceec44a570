#include "libs/formats/gltf/sampler.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/asset/motion.h"
#include "libs/skel/math.h"

namespace posewire::gltf {
namespace {

using skel::Quat;

constexpr double kStep_s = 1e-4;
constexpr double kMostFrames = 1e9;
constexpr double kSplineRate_hz = 60;
constexpr double kMostSplineParts = 64;

// Replaces 32-bit times of frames at a constant rate by their exact seconds, counted from 0.
void SnapFloatTimes(std::vector<double>& times) {
  if (times.size() < 2) return;
  // If there is a key at each frame, the mean distance is the more exact one.
  const double mean_s = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  std::vector<double> best = times;
  size_t most = 0;
  for (const asset::FrameClock& clock :
       {asset::FrameClock(mean_s, asset::kSameFrame_s), asset::EvenKeysOf(times).clock}) {
    std::vector<double> snapped = times;
    size_t fits = 0;
    for (double& time : snapped) {
      const double frame = std::round(time / clock.frame_s());
      if (frame > kMostFrames) continue;
      const double exact = clock.Seconds(static_cast<int64_t>(frame));
      if (static_cast<float>(exact) != static_cast<float>(time)) continue;
      time = exact;
      ++fits;
    }
    if (fits <= most) continue;
    most = fits;
    best = std::move(snapped);
  }
  times = std::move(best);
}

}  // namespace

void Sampler::At(double time_s, float* out) const {
  const size_t stride = width * (interpolation == Interpolation::kCubic ? 3 : 1);
  const size_t value = interpolation == Interpolation::kCubic ? width : 0;
  const auto next =
      static_cast<size_t>(std::upper_bound(times.begin(), times.end(), time_s) - times.begin());
  const size_t here = next == 0 ? 0 : next - 1;
  const float* a = values.data() + here * stride + value;
  std::copy(a, a + width, out);
  if (next == 0 || next == times.size() || interpolation == Interpolation::kStep) return;
  const double span_s = times[next] - times[here];
  const auto u = static_cast<float>((time_s - times[here]) / span_s);
  const float* b = values.data() + next * stride + value;
  if (interpolation == Interpolation::kCubic) {
    const float u2 = u * u, u3 = u2 * u;
    const auto span = static_cast<float>(span_s);
    for (size_t i = 0; i < width; ++i) {
      const float leaves = a[width + i], comes = *(b - width + i);
      out[i] = (2 * u3 - 3 * u2 + 1) * a[i] + span * (u3 - 2 * u2 + u) * leaves +
               (3 * u2 - 2 * u3) * b[i] + span * (u3 - u2) * comes;
    }
  } else if (turns) {
    const Quat q = skel::Slerp({a[3], a[0], a[1], a[2]}, {b[3], b[0], b[1], b[2]}, u);
    out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
  } else {
    for (size_t i = 0; i < width; ++i) out[i] = a[i] + (b[i] - a[i]) * u;
  }
}

void Sampler::AddTimes(std::vector<double>& out) const {
  out.insert(out.end(), times.begin(), times.end());
  for (size_t i = 1; i < times.size(); ++i) {
    const double from = times[i - 1], span = times[i] - from;
    if (interpolation == Interpolation::kStep) out.push_back(std::max(from, times[i] - kStep_s));
    if (interpolation != Interpolation::kCubic) continue;
    const double parts = std::clamp(std::ceil(span * kSplineRate_hz - 1e-3), 1.0, kMostSplineParts);
    for (double k = 1; k < parts; ++k) out.push_back(from + span * k / parts);
  }
}

std::optional<Sampler> Sampler::Read(Document& document, const Json& sampler, size_t width,
                                     bool turns) {
  const size_t accessors = document.root()["accessors"].size();
  const int input = sampler["input"].Index(accessors), output = sampler["output"].Index(accessors);
  if (input < 0) sampler.Wrong("has no input");
  if (output < 0) sampler.Wrong("has no output");
  const std::string interpolation = sampler["interpolation"].Text("LINEAR");
  Sampler out;
  out.turns = turns;
  if (interpolation == "STEP") {
    out.interpolation = Interpolation::kStep;
  } else if (interpolation == "CUBICSPLINE") {
    out.interpolation = Interpolation::kCubic;
  } else if (interpolation != "LINEAR") {
    sampler["interpolation"].Wrong(absl::StrCat("is \"", interpolation.substr(0, 40),
                                                "\", expected LINEAR, STEP or CUBICSPLINE"));
  }
  if (!document.status().ok()) return std::nullopt;
  const int type = document.WidthOf(output);
  for (const float time : document.Floats(input, 1)) out.times.push_back(time);
  out.values = document.Floats(output, type);
  if (!document.status().ok()) return std::nullopt;
  for (size_t i = 0; i < out.times.size(); ++i) {
    if (out.times[i] >= 0 && (i == 0 || out.times[i] > out.times[i - 1])) continue;
    sampler["input"].Wrong(absl::StrCat("has the time ", out.times[i], " at ", i, ", expected ",
                                        i == 0 ? "0 or more" : "more than the one before"));
    return std::nullopt;
  }
  if (out.times.empty()) {
    sampler["input"].Wrong("has no times");
    return std::nullopt;
  }
  // Weights are stored as single numbers, with one for each target in every key.
  const size_t sets = out.times.size() * (out.interpolation == Interpolation::kCubic ? 3u : 1u);
  out.width = width == 0 ? out.values.size() / sets : width;
  if (out.width == 0 || out.values.size() != sets * out.width ||
      (width > 0 && static_cast<size_t>(type) != width)) {
    sampler["output"].Wrong(absl::StrCat("has ", out.values.size(), " numbers for ",
                                         out.times.size(), " times, expected ",
                                         sets * std::max<size_t>(width, 1)));
    return std::nullopt;
  }
  SnapFloatTimes(out.times);
  if (turns) {
    const size_t first = out.interpolation == Interpolation::kCubic ? 4 : 0;
    for (size_t at = first; at + 4 <= out.values.size(); at += sets / out.times.size() * 4) {
      float* q = out.values.data() + at;
      const Quat unit = skel::Normalized(Quat{q[3], q[0], q[1], q[2]});
      q[0] = unit.x, q[1] = unit.y, q[2] = unit.z, q[3] = unit.w;
    }
  }
  return out;
}

}  // namespace posewire::gltf
