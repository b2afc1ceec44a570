#include "libs/formats/bvh/frame_time.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/asset/read_options.h"
#include "libs/formats/bvh/limits.h"
#include "libs/wire/text_check.h"

namespace posewire::bvh {
namespace {

constexpr double kUsualRates_hz[] = {
    24, 25, 30000 / 1001.0, 30, 48, 50, 60000 / 1001.0, 60, 72, 90, 100, 120, 144, 200, 240};
constexpr double kAssumedRate_hz = 30, kHighestRate_hz = 1000;
// Numbers with fewer decimals do not determine the intended rate.
constexpr size_t kLeastDecimals = 5;
constexpr double kSameRate = 1e-4, kSameMilliseconds = 0.01;

// Returns the usual rate that the number means, as frames per second or as milliseconds per frame;
// 0 for none.
double RateMeantBy(double over_a_second) {
  for (const double rate_hz : kUsualRates_hz) {
    if (std::abs(over_a_second - rate_hz) <= kSameRate * rate_hz) return rate_hz;
  }
  double nearest_hz = 0, off = kSameMilliseconds;
  for (const double rate_hz : kUsualRates_hz) {
    const double rate_off = std::abs(over_a_second * rate_hz / 1000 - 1);
    if (rate_off < off) nearest_hz = rate_hz, off = rate_off;
  }
  return nearest_hz;
}

asset::FrameClock ClockOf(const timecode::FrameRate& fps) { return {fps.period_s(), 1e-12}; }

}  // namespace

bool IsMisreadBvhFrameTime(double frame_s) { return frame_s > 1 && RateMeantBy(frame_s) > 0; }

absl::StatusOr<BvhFrameTime> ReadBvhFrameTime(absl::string_view text,
                                              const std::optional<timecode::FrameRate>& fps) {
  if (fps) return BvhFrameTime{ClockOf(*fps), ""};
  double frame_s = 0;
  const bool is_number = absl::SimpleAtod(text, &frame_s) && std::isfinite(frame_s);
  const std::string said = absl::StrCat("Frame Time: ", wire::Quoted(text));
  if (!is_number) {
    return absl::InvalidArgumentError(
        absl::StrCat(said, "; must be seconds, over 0 and at most ", kLongestBvhFrame_s));
  }
  if (frame_s == 0) {
    return BvhFrameTime{asset::FrameClock(1 / kAssumedRate_hz, 1e-12),
                        absl::StrCat(said, " says no rate; taken for ", kAssumedRate_hz,
                                     " frames a second", asset::kChangesRate)};
  }
  std::string doubt;
  if (frame_s < 0) {
    frame_s = -frame_s;
    text.remove_prefix(1);
    doubt = absl::StrFormat("%s is below 0; taken for %.6g s a frame%s", said, frame_s,
                            asset::kChangesRate);
  }
  if (const double rate_hz = frame_s > 1 ? RateMeantBy(frame_s) : 0; rate_hz > 0) {
    return BvhFrameTime{asset::FrameClock(1 / rate_hz, 1e-9),
                        absl::StrFormat("%s is too long for seconds; taken for %.6g frames a "
                                        "second%s",
                                        said, rate_hz, asset::kChangesRate)};
  }
  if (frame_s > kLongestBvhFrame_s) {
    return absl::InvalidArgumentError(
        absl::StrCat(said, "; must be seconds, over 0 and at most ", kLongestBvhFrame_s));
  }
  if (doubt.empty() && (frame_s > 1 || frame_s * kHighestRate_hz < 1 - kSameRate)) {
    doubt = absl::StrFormat("%s is %.6g frames a second; played so%s", said, 1 / frame_s,
                            asset::kChangesRate);
  }
  // 0.0333333 means a thirtieth: the last digit may be off by one.
  const size_t point = text.find('.');
  const size_t decimals = point == absl::string_view::npos ? 0 : text.size() - point - 1;
  const bool plain = text.find_first_not_of("0123456789.") == absl::string_view::npos;
  return BvhFrameTime{
      asset::FrameClock(frame_s, plain && decimals >= kLeastDecimals
                                     ? std::pow(10.0, -static_cast<double>(decimals))
                                     : 0),
      std::move(doubt)};
}

}  // namespace posewire::bvh
