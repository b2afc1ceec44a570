#include "libs/formats/csv/face_time.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "libs/asset/read_options.h"
#include "libs/timecode/smpte.h"

namespace posewire::csv {
namespace {

constexpr int64_t kDefaultRate_hz = 60, kDaySeconds = 86400;
constexpr int64_t kTableRates_hz[] = {24, 25, 30, 48, 50, 60, 90, 100, 120, 240};
// A second agrees with a rate that differs by at most this: less than half the way from 24 to 25.
constexpr double kAgrees = 0.4;

double MiddleOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Returns the number of labels from midnight to this second.
int64_t LabelsUntil(int64_t second, bool drop_frame, const timecode::FrameRate& rate) {
  const int64_t labels = LabelsASecond(rate);
  const int64_t all = second * labels;
  if (!drop_frame || !timecode::HasDropFrame(rate)) return all;
  const int64_t minutes = second / 60;
  return all - labels / 15 * (minutes - minutes / 10);
}

}  // namespace

std::optional<FaceTimeCode> FaceTimeCode::Parse(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::ByAnyChar(":;"));
  if (parts.size() != 3 && parts.size() != 4) return std::nullopt;
  FaceTimeCode code;
  code.counts_frames = parts.size() == 4;
  constexpr std::array<int, 3> kEnds = {24, 60, 60};
  const auto is_plain = [](absl::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789.") == absl::string_view::npos;
  };
  for (size_t i = 0; i < 3; ++i) {
    absl::string_view part = parts[i];
    if (i == 2 && !code.counts_frames) {
      const size_t point = std::min(part.find('.'), part.size());
      const absl::string_view fraction = part.substr(point);
      if (fraction.size() > 1 &&
          (!is_plain(fraction) || !absl::SimpleAtod(absl::StrCat("0", fraction), &code.frames))) {
        return std::nullopt;
      }
      part = part.substr(0, point);
    }
    int value = 0;
    if (!is_plain(part) || !absl::SimpleAtoi(part, &value) || value >= kEnds[i]) {
      return std::nullopt;
    }
    code.second = code.second * kEnds[i] + value;
  }
  if (!code.counts_frames) return code;
  if (!is_plain(parts[3]) || !absl::SimpleAtod(parts[3], &code.frames)) return std::nullopt;
  code.drop_frame = absl::StrContains(text, ';');
  return code;
}

int64_t LabelsASecond(const timecode::FrameRate& rate) {
  return std::max<int64_t>(1, std::llround(std::ceil(rate.hz() - 1e-9)));
}

double SecondsOf(const FaceTimeCode& code, const timecode::FrameRate& rate) {
  if (!code.counts_frames) return static_cast<double>(code.second) + code.frames;
  const auto whole = static_cast<double>(LabelsUntil(code.second, code.drop_frame, rate));
  return (whole + code.frames) * static_cast<double>(rate.den) / static_cast<double>(rate.num);
}

double DayOf(const FaceTimeCode& code, const timecode::FrameRate& rate) {
  FaceTimeCode end = code;
  end.second = kDaySeconds;
  end.frames = 0;
  return SecondsOf(end, rate);
}

void FaceRateGuess::Add(const FaceTimeCode& code) {
  counts_frames_ = counts_frames_ || code.counts_frames;
  drop_frame_ = drop_frame_ || code.drop_frame;
  if (!code.counts_frames) return;
  highest_ = std::max(highest_, std::floor(code.frames));
  if (last_) {
    const double step = code.frames - last_->frames;
    const int64_t seconds = (code.second - last_->second + kDaySeconds) % kDaySeconds;
    if (seconds == 0 && step > 0) steps_.push_back(step);
    if (seconds == 1) ends_.push_back(-step);
  }
  last_ = code;
}

FaceRateGuess::Result FaceRateGuess::Make() const {
  const auto at = [&](int64_t rate_hz) {
    const bool ntsc = drop_frame_ && (rate_hz == 30 || rate_hz == 60);
    return ntsc ? timecode::FrameRate{rate_hz * 1000, 1001} : timecode::FrameRate{rate_hz, 1};
  };
  if (!counts_frames_) return {at(kDefaultRate_hz), ""};
  const double step = steps_.empty() ? 1 : MiddleOf(steps_);
  const double said = ends_.empty() ? highest_ + step : MiddleOf(ends_) + step;
  const auto nearest_above = [&](double least) {
    int64_t nearest = 0;
    for (const int64_t rate_hz : kTableRates_hz) {
      const auto off = [&](int64_t hz) { return std::abs(static_cast<double>(hz) - said); };
      if (static_cast<double>(rate_hz) <= least) continue;
      if (nearest == 0 || off(rate_hz) < off(nearest)) nearest = rate_hz;
    }
    return nearest;
  };
  const auto fits = [&](int64_t rate_hz) {
    return rate_hz > 0 && std::abs(static_cast<double>(rate_hz) - said) <= kAgrees;
  };
  const auto agree = std::count_if(ends_.begin(), ends_.end(), [&](double end) {
    return std::abs(end + step - said) <= kAgrees;
  });
  const auto seconds = static_cast<int64_t>(ends_.size());
  // If most seconds agree, a higher frame number is an error in its line.
  const bool most_agree = agree >= 2 && 2 * agree > seconds;
  // Otherwise the rate must be above the highest frame number.
  const int64_t nearest = nearest_above(most_agree ? 0 : highest_);
  if (fits(nearest) && seconds > 0 && !steps_.empty()) return {at(nearest), ""};
  if (most_agree && agree == seconds && std::round(said) > highest_) {
    return {at(std::llround(said)), ""};
  }
  int64_t assumed = nearest_above(highest_);
  if (seconds == 0 && !fits(assumed) && highest_ < static_cast<double>(kDefaultRate_hz)) {
    assumed = kDefaultRate_hz;
  }
  if (assumed == 0) assumed = std::llround(highest_) + 1;
  return {
      at(assumed),
      absl::StrFormat("its time codes, with frames up to %.0f %s, do not settle how many frames "
                      "a second they count; taken for %s%s",
                      highest_, ends_.empty() ? "in a single second" : "and gaps between seconds",
                      timecode::ToString(at(assumed)), asset::kChangesRate)};
}

}  // namespace posewire::csv
