#include "libs/timecode/frame_rate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace posewire::timecode {
namespace {

// Rates written as decimals in messages; others are whole numbers or fractions.
struct NamedRate {
  const char* text;
  FrameRate rate;
};

constexpr std::array<NamedRate, 5> kDecimalRates = {{{"23.976", {24000, 1001}},
                                                     {"29.97", {30000, 1001}},
                                                     {"47.952", {48000, 1001}},
                                                     {"59.94", {60000, 1001}},
                                                     {"119.88", {120000, 1001}}}};

constexpr double kSnap_s = 1e-3;
// Bounds that keep k * den and k * num within 63 bits for centuries of ticks.
constexpr int64_t kMostNum = 1'000'000;
constexpr int64_t kMostDen = 100'000;
constexpr size_t kMostDigits = 12;
// Minimum digits of a decimal that is read as 1000 / 1001 of a whole number.
constexpr size_t kLeastNtscDigits = 2;
// Times beyond three centuries are clamped, so that ticks stay exact in 63 bits.
constexpr double kMostTime_s = 1e10;

absl::Status UnknownRate(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "frame rate \"", text, "\" is unknown: use a number such as 24, 25, 29.97, 30 or 60, or ",
      "NUM/DEN (NUM 1..", kMostNum, ", DEN 1..", kMostDen, ", at least 1 frame a second)"));
}

// Parses a whole number or a decimal. 23.976, 29.97 and similar, rounded to two digits or more, are
// 1000 / 1001 of a whole number, like television rates.
std::optional<FrameRate> ParseDecimal(absl::string_view text) {
  const size_t point = text.find('.');
  const absl::string_view whole = text.substr(0, point);
  absl::string_view part = point == absl::string_view::npos ? "" : text.substr(point + 1);
  if (point != absl::string_view::npos && part.empty()) return std::nullopt;
  for (const char c : absl::StrCat(whole, part)) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return std::nullopt;
  }
  if (whole.size() > kMostDigits || part.size() > kMostDigits) return std::nullopt;
  const size_t digits = part.size();
  while (absl::EndsWith(part, "0")) part.remove_suffix(1);
  FrameRate rate{0, 1};
  for (size_t i = 0; i < part.size(); ++i) rate.den *= 10;
  if (!absl::SimpleAtoi(absl::StrCat(whole, part), &rate.num)) return std::nullopt;
  if (part.size() < kLeastNtscDigits) return rate;
  const FrameRate ntsc{1000 * std::llround(rate.hz() * 1.001), 1001};
  const double half_digit = 0.5 / std::pow(10.0, static_cast<double>(digits));
  return std::fabs(ntsc.hz() - rate.hz()) <= half_digit ? ntsc : rate;
}

}  // namespace

int64_t FrameRate::TickAtOrBefore(double t_s) const {
  t_s = std::clamp(t_s, -kMostTime_s, kMostTime_s);
  auto k = static_cast<int64_t>(std::floor(t_s * hz()));
  // The product may round across a tick, so compare with the exact tick time.
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
  const size_t slash = text.find('/');
  FrameRate rate;
  if (slash == absl::string_view::npos) {
    const std::optional<FrameRate> decimal = ParseDecimal(text);
    if (!decimal) return UnknownRate(text);
    rate = *decimal;
  } else if (!absl::SimpleAtoi(text.substr(0, slash), &rate.num) ||
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
  if (rate.den == 1) return absl::StrCat(rate.num);
  for (const NamedRate& named : kDecimalRates) {
    if (rate == named.rate) return named.text;
  }
  return absl::StrCat(rate.num, "/", rate.den);
}

double SnapToTick(double t_s, const FrameRate& rate) {
  const double tick_s = rate.SecondsAt(rate.NearestTick(t_s));
  return std::fabs(t_s - tick_s) <= kSnap_s ? tick_s : t_s;
}

}  // namespace posewire::timecode
