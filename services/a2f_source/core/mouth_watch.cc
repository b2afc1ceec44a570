#include "services/a2f_source/core/mouth_watch.h"

#include <utility>

namespace posewire::a2f_source {
namespace {

constexpr float kSwing = 0.06f;
constexpr double kSyllable_s = 0.45;

}  // namespace

void MouthWatch::Step(float open, double now_s) {
  if (!std::exchange(any_, true)) {
    extreme_ = open;
    turned_s_ = now_s - kSyllable_s;
    return;
  }
  const float moved = open - extreme_;
  const bool on = way_ == 0 ? false : moved * static_cast<float>(way_) >= 0;
  const bool quick = now_s - turned_s_ < kSyllable_s;
  if (on) {
    extreme_ = open;
  } else if (moved >= kSwing || moved <= -kSwing) {
    speaks_ = way_ != 0 && quick;
    way_ = moved > 0 ? 1 : -1;
    extreme_ = open;
    turned_s_ = now_s;
    return;
  }
  if (!quick) speaks_ = false;
}

}  // namespace posewire::a2f_source
