#include "libs/formats/x3d/spline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/formats/x3d/fields.h"
#include "libs/formats/x3d/surface_fields.h"
#include "libs/skel/math.h"

namespace posewire::x3d {
namespace {

using skel::Quat;

constexpr double kCurveRate_hz = 60, kMostCurveParts = 64;

size_t PartsOf(double span_s) {
  return static_cast<size_t>(
      std::clamp(std::ceil(span_s * kCurveRate_hz - 1e-3), 1.0, kMostCurveParts));
}

// The tangents of a spline at its keys, of the curves before (T1) and after them (T0).
struct Tangents {
  std::vector<float> before, after;
};

float Norm(const float* v, size_t width) {
  float sum = 0;
  for (size_t c = 0; c < width; ++c) sum += v[c] * v[c];
  return std::sqrt(sum);
}

// Scales velocities to the length of the way, so that the spline moves evenly.
void Normalize(size_t width, const std::vector<float>& values, std::vector<float>& velocities) {
  float way = 0;
  for (size_t i = width; i < values.size(); i += width) {
    std::vector<float> step(width);
    for (size_t c = 0; c < width; ++c) step[c] = values[i + c] - values[i - width + c];
    way += Norm(step.data(), width);
  }
  for (size_t i = 0; i < velocities.size(); i += width) {
    const float length = Norm(velocities.data() + i, width);
    if (!(length > 0)) continue;
    for (size_t c = 0; c < width; ++c) velocities[i + c] *= way / length;
  }
}

absl::StatusOr<Tangents> TangentsOf(const X3dNode& spline, size_t width, bool closed,
                                    const std::vector<double>& times,
                                    const std::vector<float>& values) {
  const size_t keys = times.size();
  absl::StatusOr<std::vector<float>> given = Numbers(spline, "keyVelocity");
  if (!given.ok()) return given.status();
  std::vector<float> slope(keys * width);
  const auto middle = [&](size_t at, size_t next, size_t last) {
    for (size_t c = 0; c < width; ++c) {
      slope[at * width + c] = (values[next * width + c] - values[last * width + c]) / 2;
    }
  };
  const bool ends = given->size() == 2 * width && keys > 2;  // velocities of the first and last key
  if (!given->empty() && !ends) {
    if (given->size() != slope.size()) {
      return AtNode(spline, absl::StrCat(".keyVelocity has ", given->size(), " numbers for ", keys,
                                         " keys: write ", width,
                                         " for each, for the first and the last, or none"));
    }
    slope = *std::move(given);
    if (X3dFlag(spline, "normalizeVelocity", false)) Normalize(width, values, slope);
  } else {
    for (size_t i = 1; i + 1 < keys; ++i) middle(i, i + 1, i - 1);
    if (closed && keys > 2) middle(0, 1, keys - 2), middle(keys - 1, 1, keys - 2);
    if (ends) {
      const auto half = given->begin() + static_cast<ptrdiff_t>(width);
      std::copy(given->begin(), half, slope.begin());
      std::copy(half, given->end(), slope.end() - static_cast<ptrdiff_t>(width));
    }
  }
  Tangents out{slope, slope};
  for (size_t i = 0; i < keys; ++i) {
    const bool end = i == 0 || i + 1 == keys;
    if (end && !closed) continue;
    const double next = end ? times[1] - times[0] : times[i + 1] - times[i];
    const double last = end ? times[keys - 1] - times[keys - 2] : times[i] - times[i - 1];
    if (!(next + last > 0)) continue;
    for (size_t c = 0; c < width; ++c) {
      out.after[i * width + c] *= static_cast<float>(2 * last / (next + last));
      out.before[i * width + c] *= static_cast<float>(2 * next / (next + last));
    }
  }
  return out;
}

Quat QuatAt(const std::vector<float>& values, size_t key) {
  const float* const v = values.data() + key * 4;
  return {v[0], v[1], v[2], v[3]};
}

// The way from a to b, as a rotation vector.
skel::Vec3 Way(Quat a, Quat b) {
  Quat q = skel::Mul(skel::Conjugate(a), b);
  if (q.w < 0) q = -q;
  return skel::Log(q);
}

// Shoemake's inner quadrangle point.
Quat Inner(Quat last, Quat at, Quat next) {
  return skel::Normalized(skel::Mul(at, skel::Exp((Way(at, next) + Way(at, last)) * -0.25f)));
}

}  // namespace

absl::string_view StraightType(absl::string_view type) {
  if (type == "SquadOrientationInterpolator") return "OrientationInterpolator";
  if (type == "SplinePositionInterpolator" || type == "SplineScalarInterpolator") {
    absl::ConsumePrefix(&type, "Spline");
  }
  return type;
}

absl::StatusOr<CurveKeys> SampleSpline(const X3dNode& spline, size_t width,
                                       const std::vector<double>& times,
                                       const std::vector<float>& values, size_t most) {
  const size_t keys = times.size();
  if (keys < 2) return CurveKeys{times, values};
  size_t count = 1;
  for (size_t i = 0; i + 1 < keys; ++i) count += PartsOf(times[i + 1] - times[i]);
  if (count > most) {
    return absl::ResourceExhaustedError(absl::StrCat("line ", spline.line, ": ", spline.type,
                                                     " would have ", count, " keys, over ", most));
  }
  const bool closed = X3dFlag(spline, "closed", false);
  Tangents tangents;
  std::vector<Quat> inner;
  if (width == 4) {
    for (size_t i = 0; i < keys; ++i) {
      const bool end = i == 0 || i + 1 == keys;
      const Quat at = QuatAt(values, i);
      inner.push_back(end && !closed ? at
                                     : Inner(QuatAt(values, end ? keys - 2 : i - 1), at,
                                             QuatAt(values, end ? 1 : i + 1)));
    }
  } else {
    absl::StatusOr<Tangents> found = TangentsOf(spline, width, closed, times, values);
    if (!found.ok()) return found.status();
    tangents = *std::move(found);
  }
  CurveKeys out;
  for (size_t i = 0; i + 1 < keys; ++i) {
    const size_t parts = PartsOf(times[i + 1] - times[i]);
    for (size_t p = 0; p < parts; ++p) {
      const float t = static_cast<float>(p) / static_cast<float>(parts);
      out.times.push_back(times[i] + (times[i + 1] - times[i]) * static_cast<double>(p) /
                                         static_cast<double>(parts));
      if (width == 4) {
        const Quat q = skel::Slerp(skel::Slerp(QuatAt(values, i), QuatAt(values, i + 1), t),
                                   skel::Slerp(inner[i], inner[i + 1], t), 2 * t * (1 - t));
        out.values.insert(out.values.end(), {q.w, q.x, q.y, q.z});
        continue;
      }
      const float t2 = t * t, t3 = t2 * t;
      for (size_t c = 0; c < width; ++c) {
        const size_t a = i * width + c, b = a + width;
        out.values.push_back((2 * t3 - 3 * t2 + 1) * values[a] + (3 * t2 - 2 * t3) * values[b] +
                             (t3 - 2 * t2 + t) * tangents.after[a] +
                             (t3 - t2) * tangents.before[b]);
      }
    }
  }
  out.times.push_back(times.back());
  out.values.insert(out.values.end(), values.end() - static_cast<ptrdiff_t>(width), values.end());
  if (!std::all_of(out.values.begin(), out.values.end(),
                   [](float v) { return std::isfinite(v); })) {
    return AtNode(spline, ": its curve has numbers that are not finite");
  }
  return out;
}

}  // namespace posewire::x3d
