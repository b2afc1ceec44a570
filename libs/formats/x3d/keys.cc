#include "libs/formats/x3d/keys.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/asset/motion.h"

namespace posewire::x3d {
namespace {

// Shares of a cycle count as times of frames if they differ by at most this.
constexpr double kNearFrame_s = 2e-6;
constexpr size_t kExactCharacters = 17;

double SecondsOf(absl::string_view key, double cycle_s) {
  absl::ConsumePrefix(&key, "+");
  long double share = 0;
  std::from_chars(key.data(), key.data() + key.size(), share);
  return static_cast<double>(share * static_cast<long double>(cycle_s));
}

// Replaces the times of frames at a constant rate by their exact seconds.
void SnapShares(std::vector<double>& times) {
  if (times.size() < 2) return;
  const asset::FrameClock clock = asset::EvenKeysOf(times).clock;
  std::vector<double> snapped = times;
  for (double& time : snapped) {
    const double frame = std::round(time / clock.frame_s());
    if (!(std::fabs(frame) < 1e9)) return;
    const double exact = clock.Seconds(static_cast<int64_t>(frame));
    if (std::fabs(exact - time) > kNearFrame_s) return;
    time = exact;
  }
  times = std::move(snapped);
}

}  // namespace

absl::StatusOr<std::vector<double>> X3dSeconds(const X3dNode& interpolator, double cycle_s) {
  std::vector<double> times;
  const Field* const key = interpolator.Find("key");
  if (key == nullptr) return times;
  double last = 0;
  bool exact = false;
  for (const absl::string_view word :
       absl::StrSplit(key->text, absl::ByAnyChar(", \t\r\n"), absl::SkipEmpty())) {
    double value = 0;
    if (!absl::SimpleAtod(word, &value) || !(value >= last) || !(value <= 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", key->line, ": ", interpolator.type, ".key[", times.size(),
                       "] is \"", word.substr(0, 40), "\": fractions rise from 0 to 1"));
    }
    last = value;
    exact = exact || word.size() > kExactCharacters;
    times.push_back(SecondsOf(word, cycle_s));
  }
  if (!exact) SnapShares(times);
  return times;
}

std::string X3dKeys(const std::vector<double>& seconds, double cycle_s) {
  std::string out;
  for (const double time_s : seconds) {
    // The last key always has more digits, which marks all keys as exact.
    const bool last = &time_s == &seconds.back();
    std::string key = absl::StrFormat("%.17g", time_s / cycle_s);
    if (last || SecondsOf(key, cycle_s) != time_s) {
      key = absl::StrFormat("%#.21g",
                            static_cast<long double>(time_s) / static_cast<long double>(cycle_s));
    }
    absl::StrAppend(&out, out.empty() ? "" : " ", key);
  }
  return out;
}

}  // namespace posewire::x3d
