#include "services/a2f_source/core/vmc_tags.h"

#include <cmath>

namespace posewire::a2f_source {
namespace {

constexpr double kWithin_s = 0.2;
constexpr double kFollow = 0.01;  // of the difference, per datagram
constexpr int kStraysToFollow = 3;

}  // namespace

std::optional<double> VmcTags::Use(std::optional<double> tag_s, bool has_time, double now_s) {
  sends_time_ = sends_time_ || has_time;
  if (sends_time_ || !tag_s) return std::nullopt;
  const double offset_s = now_s - *tag_s;
  if (!offset_s_) offset_s_ = offset_s;
  if (std::fabs(offset_s - *offset_s_) > kWithin_s) {
    const bool agrees = stray_s_ && std::fabs(offset_s - *stray_s_) <= kWithin_s;
    strays_ = agrees ? strays_ + 1 : 1;
    stray_s_ = offset_s;
    if (strays_ < kStraysToFollow) return std::nullopt;
    offset_s_ = offset_s;
  }
  strays_ = 0;
  stray_s_.reset();
  const double late_s = offset_s - *offset_s_;
  *offset_s_ += late_s < 0 ? late_s : kFollow * late_s;
  return tag_s;
}

}  // namespace posewire::a2f_source
