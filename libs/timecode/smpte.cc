#include "libs/timecode/smpte.h"

#include <array>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace posewire::timecode {
namespace {

// Labels per second: the rate, rounded up.
int64_t LabelsPerSecond(const FrameRate& rate) { return (rate.num + rate.den - 1) / rate.den; }

// Labels skipped in each minute with drops.
int64_t DropsPerMinute(const FrameRate& rate) { return LabelsPerSecond(rate) / 15; }

absl::Status BadForm(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("time code \"", text, "\": write HH:MM:SS:FF, or HH:MM:SS;FF in drop-frame"));
}

bool IsDigits(absl::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
  }
  return !text.empty() && text.size() <= 9;
}

struct Fields {
  std::array<int64_t, 4> value{};  // hours, minutes, seconds, frames
  bool drop_frame = false;
};

absl::StatusOr<Fields> Split(absl::string_view text, absl::string_view whole) {
  Fields fields;
  for (size_t i = 0; i < 4; ++i) {
    const size_t end = i < 3 ? text.find_first_of(":;") : text.size();
    if (end == absl::string_view::npos || !IsDigits(text.substr(0, end)) ||
        !absl::SimpleAtoi(text.substr(0, end), &fields.value[i])) {
      return BadForm(whole);
    }
    if (i == 3) break;
    if (text[end] == ';' && i < 2) return BadForm(whole);
    fields.drop_frame = text[end] == ';';
    text.remove_prefix(end + 1);
  }
  return fields;
}

}  // namespace

std::string ToSmpte(int64_t frame, const FrameRate& rate, bool drop_frame) {
  const char* sign = frame < 0 ? "-" : "";
  if (frame < 0) frame = -frame;
  const int64_t labels = LabelsPerSecond(rate);
  const bool drop = drop_frame && HasDropFrame(rate);
  if (drop) {
    const int64_t drops = DropsPerMinute(rate);
    const int64_t in_minute = 60 * labels - drops;
    const int64_t in_ten = 10 * in_minute + drops;
    const int64_t rest = frame % in_ten;
    frame += frame / in_ten * 9 * drops;
    // The first of ten minutes skips none and so is longer.
    if (rest >= 60 * labels) frame += ((rest - 60 * labels) / in_minute + 1) * drops;
  }
  const int64_t seconds = frame / labels;
  return absl::StrFormat("%s%02d:%02d:%02d%c%02d", sign, seconds / 3600, seconds / 60 % 60,
                         seconds % 60, drop ? ';' : ':', frame % labels);
}

absl::StatusOr<int64_t> ParseSmpte(absl::string_view text, const FrameRate& rate) {
  const bool negative = !text.empty() && text[0] == '-';
  const absl::StatusOr<Fields> fields = Split(text.substr(negative ? 1 : 0), text);
  if (!fields.ok()) return fields.status();
  const auto [hours, minutes, seconds, frames] = fields->value;
  const int64_t labels = LabelsPerSecond(rate);
  if (minutes > 59 || seconds > 59 || frames >= labels) {
    return absl::InvalidArgumentError(absl::StrCat("time code \"", text,
                                                   "\": minutes and seconds are 0..59, frames 0..",
                                                   labels - 1, " at ", ToString(rate)));
  }
  const int64_t all_minutes = hours * 60 + minutes;
  int64_t frame = (all_minutes * 60 + seconds) * labels + frames;
  if (fields->drop_frame) {
    if (!HasDropFrame(rate)) {
      return absl::InvalidArgumentError(absl::StrCat("time code \"", text, "\": rate ",
                                                     ToString(rate),
                                                     " has no drop-frame; write HH:MM:SS:FF"));
    }
    const int64_t drops = DropsPerMinute(rate);
    if (minutes % 10 != 0 && seconds == 0 && frames < drops) {
      return absl::InvalidArgumentError(
          absl::StrCat("time code \"", text,
                       "\": drop-frame leaves this label out; the minute "
                       "begins with frame ",
                       drops));
    }
    frame -= (all_minutes - all_minutes / 10) * drops;
  }
  return negative ? -frame : frame;
}

absl::StatusOr<double> ParseTime(absl::string_view text, const std::optional<FrameRate>& rate) {
  if (text.find(':') == absl::string_view::npos) {
    double seconds = 0;
    if (absl::SimpleAtod(text, &seconds) && std::isfinite(seconds)) return seconds;
    return absl::InvalidArgumentError(
        absl::StrCat("time \"", text, "\": write seconds, or HH:MM:SS:FF"));
  }
  if (!rate) {
    return absl::InvalidArgumentError(
        absl::StrCat("time \"", text, "\": there is no one frame rate; write seconds"));
  }
  const absl::StatusOr<int64_t> frame = ParseSmpte(text, *rate);
  if (!frame.ok()) return frame.status();
  return rate->SecondsAt(*frame);
}

}  // namespace posewire::timecode
