#include "services/renderer_sink/core/detail_control.h"

#include <algorithm>

namespace posewire::renderer_sink {

DetailControl::DetailControl(const Detail& most, double budget_s)
    : most_(most), budget_s_(budget_s), useful_levels_(most.subdivide) {}

Detail DetailControl::detail() const {
  return {std::min(useful_levels_, std::max(0, most_.subdivide - step_)),
          most_.offsets && step_ <= most_.subdivide};
}

void DetailControl::SetEdge(double edge_px) {
  int levels = 0;
  for (; levels < most_.subdivide; ++levels, edge_px /= 2) {
    if (edge_px < (levels < useful_levels_ ? kShortEdge_px : kLongEdge_px)) break;
  }
  useful_levels_ = levels;
}

void DetailControl::Add(double begin_s, double end_s, bool judged) {
  if (!judged) return BeginWindow(end_s);
  if (!in_window_) BeginWindow(begin_s);
  ++pictures_;
  sum_s_ += end_s - begin_s;
  if (pictures_ < kWindowPictures || end_s - window_begin_s_ < kWindow_s) return;
  const double mean_s = sum_s_ / pictures_;
  BeginWindow(end_s);
  if (mean_s > budget_s_) return Lower(end_s);
  if (was_raised_ && end_s - changed_s_ >= kHeld_s) {
    was_raised_ = false;
    wait_s_ = kFirstWait_s;
  }
  const bool offsets_next = most_.offsets && !detail().offsets;
  if (mean_s < budget_s_ * (offsets_next ? kRoomForOffsets : kRoomForLevel) &&
      end_s - changed_s_ >= wait_s_) {
    Raise(end_s);
  }
}

void DetailControl::BeginWindow(double now_s) {
  in_window_ = true;
  window_begin_s_ = now_s;
  pictures_ = 0;
  sum_s_ = 0;
}

// Steps without a level that is of use change nothing, and are passed over.
void DetailControl::Lower(double now_s) {
  const Detail before = detail();
  const int step = step_;
  while (step_ < LastStep() && detail() == before) ++step_;
  if (detail() == before) {
    step_ = step;
    return;
  }
  ++lowered_;
  if (was_raised_) wait_s_ = std::min(2 * wait_s_, kLongestWait_s);
  was_raised_ = false;
  changed_s_ = now_s;
}

void DetailControl::Raise(double now_s) {
  const Detail before = detail();
  const int step = step_;
  while (step_ > 0 && detail() == before) --step_;
  if (detail() == before) {
    step_ = step;
    return;
  }
  ++raised_;
  was_raised_ = true;
  changed_s_ = now_s;
}

}  // namespace posewire::renderer_sink
