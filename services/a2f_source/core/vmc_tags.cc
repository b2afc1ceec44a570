#include "services/a2f_source/core/vmc_tags.h"

#include <cmath>

namespace posewire::a2f_source {
namespace {

constexpr double kWithin_s = 0.2;
constexpr double kTrial_s = 0.5;
constexpr double kFollow = 0.01;        // of the difference, per datagram
constexpr double kStrayStep = 1 / 32.;  // per datagram
constexpr double kMostStrays = 0.3;

}  // namespace

std::optional<double> VmcTags::Use(std::optional<double> tag_s, bool has_time, double now_s) {
  lost_trust_ = false;
  sends_time_ = sends_time_ || has_time;
  if (sends_time_ || !tag_s) return std::nullopt;
  const double offset_s = now_s - *tag_s;
  const bool paused = now_s - last_s_ > kTrial_s;
  last_s_ = now_s;
  const bool stray = !trial_s_ || std::fabs(offset_s - offset_s_) > kWithin_s;
  if (!trusted_) {
    if (stray || paused) {
      trial_s_ = now_s;
      offset_s_ = offset_s;
    }
    trusted_ = now_s - *trial_s_ >= kTrial_s;
    strays_ = 0;
    if (!trusted_) return std::nullopt;
  }
  strays_ += kStrayStep * ((stray ? 1 : 0) - strays_);
  if (strays_ > kMostStrays) {
    trusted_ = false;
    lost_trust_ = true;
    trial_s_ = now_s;
    offset_s_ = offset_s;
  }
  if (stray) return std::nullopt;
  const double late_s = offset_s - offset_s_;
  offset_s_ += late_s < 0 ? late_s : kFollow * late_s;
  return tag_s;
}

}  // namespace posewire::a2f_source
