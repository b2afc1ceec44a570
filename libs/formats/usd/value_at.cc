#include "libs/formats/usd/value_at.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "libs/skel/math.h"

namespace posewire::usd {
namespace {

using skel::Quat;

absl::string_view ElementOf(absl::string_view type) { return absl::StripSuffix(type, "[]"); }

bool Interpolates(absl::string_view type) {
  for (const absl::string_view whole : {"int", "uint", "uchar", "bool", "token", "string"}) {
    if (absl::StartsWith(type, whole)) return false;
  }
  return true;
}

// Rounds to the nearest half-precision number, ties to even, as OpenUSD does.
double RoundHalf(double value) {
  const auto single = static_cast<float>(value);
  if (!std::isfinite(single) || single == 0) return static_cast<double>(single);
  int exponent = 0;
  std::frexp(single, &exponent);
  const int step = std::max(exponent - 11, -24);  // 11 bits; fixed steps below 2^-14
  return std::ldexp(std::nearbyint(std::ldexp(static_cast<double>(single), -step)), step);
}

void Between(absl::string_view type, double t, const std::vector<double>& next,
             std::vector<double>& numbers) {
  if (!absl::StartsWith(type, "quat")) {
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += t * (next[i] - numbers[i]);
    return;
  }
  for (size_t i = 0; i + 4 <= numbers.size(); i += 4) {
    const auto at = [&](const std::vector<double>& of) {
      return Quat{static_cast<float>(of[i]), static_cast<float>(of[i + 1]),
                  static_cast<float>(of[i + 2]), static_cast<float>(of[i + 3])};
    };
    const Quat q = skel::Slerp(at(numbers), at(next), static_cast<float>(t));
    const float parts[] = {q.w, q.x, q.y, q.z};
    std::copy(std::begin(parts), std::end(parts), numbers.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

void RoundAs(absl::string_view type, std::vector<double>& numbers) {
  const absl::string_view element = ElementOf(type);
  if (absl::StrContains(element, "half") || absl::EndsWith(element, "h")) {
    for (double& n : numbers) n = RoundHalf(n);
  } else if (!absl::StrContains(element, "double") && !absl::EndsWith(element, "d") &&
             Interpolates(type)) {
    for (double& n : numbers) n = static_cast<double>(static_cast<float>(n));
  }
}

Value ValueAt(const Property& attribute, double time) {
  const std::vector<TimeSample>& all = attribute.samples;
  if (all.empty()) return {};
  auto next = std::upper_bound(all.begin(), all.end(), time,
                               [](double t, const TimeSample& s) { return t < s.time_code; });
  const TimeSample& held = next == all.begin() ? *next : *(next - 1);
  Value out = held.value;
  RoundAs(attribute.type, out.numbers);
  const bool between = next != all.begin() && next != all.end() && time != held.time_code &&
                       next->value.numbers.size() == out.numbers.size() &&
                       Interpolates(attribute.type);
  if (!between) return out;
  std::vector<double> after = next->value.numbers;
  RoundAs(attribute.type, after);
  Between(attribute.type, (time - held.time_code) / (next->time_code - held.time_code), after,
          out.numbers);
  RoundAs(attribute.type, out.numbers);
  return out;
}

}  // namespace posewire::usd
