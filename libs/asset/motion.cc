#include "libs/asset/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace posewire::asset {
namespace {

constexpr double kLargestRate_hz = 1000;
constexpr double kNtsc = 1.001;
constexpr double kFramesAKey = 16;
constexpr double kOneKeyFrame_s = 1.0 / 30;

}  // namespace

void Motion::Start(wire::StreamHeader read) {
  const int shapes = static_cast<int>(read.shapes.size());
  const int joints = static_cast<int>(read.joints.size());
  tracks = {{shapes, false}, {3 * joints, false}, {4 * joints, true}, {3 * joints, false}};
  camera = {{3, false}, {4, true}, {1, false}, {1, false}};
  header = std::move(read);
}

void Motion::Append(const wire::DataChunk& data) {
  const auto append = [](const wire::KeyBlock& block, skel::KeyTrack& track,
                         std::vector<double>& codes) {
    const int left_out = track.Append(block.time_codes_s, block.values);
    codes.insert(codes.end(), block.time_codes_s.begin() + left_out, block.time_codes_s.end());
  };
  for (size_t t = 0; t < tracks.size(); ++t) append(data.pose[t], tracks[t], time_codes_s[t]);
  for (size_t t = 0; t < camera.size(); ++t)
    append(data.camera[t], camera[t], camera_time_codes_s[t]);
}

size_t Motion::key_bytes() const {
  size_t bytes = 0;
  for (const auto* some : {&tracks, &camera}) {
    for (const skel::KeyTrack& track : *some)
      bytes += track.bytes() + track.size() * sizeof(double);
  }
  return bytes;
}

double Motion::first_s() const {
  double t = std::numeric_limits<double>::infinity();
  for (const skel::KeyTrack& k : tracks) t = k.empty() ? t : std::min(t, k.oldest_s());
  return t;
}

double Motion::last_s() const {
  double t = -std::numeric_limits<double>::infinity();
  for (const skel::KeyTrack& k : tracks) t = k.empty() ? t : std::max(t, k.newest_s());
  return t;
}

FrameClock::FrameClock(double frame_s, double tolerance_s) : num_(frame_s) {
  for (const double slower : {1.0, kNtsc}) {
    const double rate_hz = std::round(slower / frame_s);
    if (rate_hz < 1 || rate_hz > kLargestRate_hz) continue;
    const double num = slower == kNtsc ? 1001 : 1, den = slower == kNtsc ? rate_hz * 1000 : rate_hz;
    if (std::abs(num / den - frame_s) > tolerance_s) continue;
    num_ = num;
    den_ = den;
    return;
  }
}

EvenKeys EvenKeysOf(const std::vector<double>& time_codes_s) {
  if (time_codes_s.empty()) return {FrameClock(kOneKeyFrame_s, 0), 0, 0};
  std::vector<double> steps;
  for (size_t i = 1; i < time_codes_s.size(); ++i)
    steps.push_back(time_codes_s[i] - time_codes_s[i - 1]);
  if (steps.empty()) return {FrameClock(kOneKeyFrame_s, kSameFrame_s), time_codes_s.front(), 1};
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  const double span_s = time_codes_s.back() - time_codes_s.front();
  const FrameClock clock(
      std::max(*middle, span_s / (kFramesAKey * static_cast<double>(time_codes_s.size()))),
      kSameFrame_s);
  // Rounds up, so that the last frame is at or after the last key. The limit is needed because the
  // quotient is infinite when time codes are extremely close together.
  const double steps_of_clock =
      std::clamp(std::ceil((span_s - kSameFrame_s) / clock.frame_s()), 0.0,
                 std::ceil(kFramesAKey * static_cast<double>(time_codes_s.size())));
  return {clock, time_codes_s.front(), static_cast<int64_t>(steps_of_clock) + 1};
}

}  // namespace posewire::asset
