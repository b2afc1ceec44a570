#include "libs/timecode/frame_rate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace posewire::timecode {
namespace {

struct NamedRate {
  const char* text;
  FrameRate rate;
};

constexpr std::array<NamedRate, 10> kRates = {{{"24", {24, 1}},
                                               {"25", {25, 1}},
                                               {"29.97", {30000, 1001}},
                                               {"30", {30, 1}},
                                               {"48", {48, 1}},
                                               {"50", {50, 1}},
                                               {"59.94", {60000, 1001}},
                                               {"60", {60, 1}},
                                               {"90", {90, 1}},
                                               {"120", {120, 1}}}};

constexpr double kSnap_s = 1e-3;
// Bounds that keep k * den and k * num within 63 bits for centuries of ticks.
constexpr int64_t kMostNum = 1'000'000;
constexpr int64_t kMostDen = 100'000;
// Times beyond three centuries count as three centuries: ticks stay exact in 63 bits.
constexpr double kMostTime_s = 1e10;

absl::Status UnknownRate(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("frame rate \"", text,
                   "\" is unknown: use 24, 25, 29.97, 30, 48, 50, 59.94, 60, 90, 120 or NUM/DEN "
                   "(NUM 1..",
                   kMostNum, ", DEN 1..", kMostDen, ", at least 1 frame a second)"));
}

}  // namespace

int64_t FrameRate::TickAtOrBefore(double t_s) const {
  t_s = std::clamp(t_s, -kMostTime_s, kMostTime_s);
  auto k = static_cast<int64_t>(std::floor(t_s * hz()));
  // The product may round across a tick: the time of the integer decides.
  while (SecondsAt(k) > t_s) --k;
  while (SecondsAt(k + 1) <= t_s) ++k;
  return k;
}

int64_t FrameRate::NearestTick(double t_s) const {
  t_s = std::clamp(t_s, -kMostTime_s, kMostTime_s);
  const int64_t k = TickAtOrBefore(t_s);
  return t_s - SecondsAt(k) < SecondsAt(k + 1) - t_s ? k : k + 1;
}

absl::StatusOr<FrameRate> ParseFrameRate(absl::string_view text) {
  for (const NamedRate& named : kRates) {
    if (text == named.text) return named.rate;
  }
  const size_t slash = text.find('/');
  FrameRate rate;
  if (slash == absl::string_view::npos || !absl::SimpleAtoi(text.substr(0, slash), &rate.num) ||
      !absl::SimpleAtoi(text.substr(slash + 1), &rate.den)) {
    return UnknownRate(text);
  }
  if (rate.num < 1 || rate.num > kMostNum || rate.den < 1 || rate.den > kMostDen ||
      rate.num < rate.den) {
    return UnknownRate(text);
  }
  const int64_t common = std::gcd(rate.num, rate.den);
  return FrameRate{rate.num / common, rate.den / common};
}

std::string ToString(const FrameRate& rate) {
  for (const NamedRate& named : kRates) {
    if (rate == named.rate) return named.text;
  }
  return absl::StrCat(rate.num, "/", rate.den);
}

double SnapToTick(double t_s, const FrameRate& rate) {
  const double tick_s = rate.SecondsAt(rate.NearestTick(t_s));
  return std::fabs(t_s - tick_s) <= kSnap_s ? tick_s : t_s;
}

}  // namespace posewire::timecode
