#include "libs/vmc/send_schedule.h"

#include <algorithm>
#include <variant>

namespace posewire::vmc {

SendSchedule::Due SendSchedule::Next() {
  const int64_t k = frame_++;
  const auto due = [k](int32_t period) { return k % std::max(period, 1) == 0; };
  Due out;
  out.status = due(period_.status);
  out.root = due(period_.root);
  out.bones = due(period_.bone);
  out.shapes = due(period_.blend_shape);
  out.camera = due(period_.camera);
  out.devices = due(period_.devices);
  out.seldom = asked_ || due(seldom_frames_);
  asked_ = false;
  return out;
}

void SendSchedule::Take(const Message& message) {
  if (const auto* const period = std::get_if<SetPeriod>(&message)) period_ = *period;
  if (std::holds_alternative<SetRequest>(message)) asked_ = true;
}

}  // namespace posewire::vmc
