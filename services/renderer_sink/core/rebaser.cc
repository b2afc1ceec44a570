#include "services/renderer_sink/core/rebaser.h"

#include <algorithm>
#include <cmath>

namespace posewire::renderer_sink {
namespace {

// The first audio sample of a frame may lie up to one sample before its pose.
constexpr double kFrameSlack_s = 1e-3;
// How far epoch + code and the clock of this machine may differ over a hole.
constexpr double kAgreement_s = 5;
// Least distance of frames over a hole.
constexpr double kLeastHole_s = 1e-3;

double FrameCode(const wire::ChunkTimes& times) {
  return times.first_pose_s - times.earliest_s <= kFrameSlack_s ? times.first_pose_s
                                                                : times.earliest_s;
}

}  // namespace

void Rebaser::OnHeader(double epoch_s) {
  epoch_s_ = epoch_s;
  first_of_connection_ = true;
}

std::optional<Rebaser::Place> Rebaser::OnMessage(const wire::ChunkTimes& times, double receive_s) {
  if (times.empty()) return std::nullopt;
  const double code_s = FrameCode(times);
  Place place;
  if (!origin_epoch_s_) {
    origin_epoch_s_ = epoch_s_ + code_s;
    zero_ = {epoch_s_, code_s};
    shift_s_ = -code_s;
  } else if (first_of_connection_) {
    shift_s_ = (epoch_s_ - zero_.epoch_s) - zero_.code_s;
    const double elapsed_s = std::max(kLeastHole_s, receive_s - last_receive_s_);
    // A message may hold much more than its first frame.
    const double held_s = newest_s_ - last_code_s_;
    double hole_s = code_s + shift_s_ - last_code_s_;
    place.moved = !(hole_s >= std::max(held_s, 0.0) + kLeastHole_s &&
                    std::abs(hole_s - elapsed_s) <= std::max(held_s, 0.0) + kAgreement_s);
    if (place.moved) hole_s = std::max(elapsed_s, held_s + kLeastHole_s);
    if (hole_s > held_s + kLongestHole_s) {
      hole_s = held_s + kLongestHole_s;
      place.moved = true;
    }
    if (place.moved) {
      shift_s_ = last_code_s_ + hole_s - code_s;
      zero_ = {epoch_s_, -shift_s_};
    }
    place.hole_s = hole_s;
  }
  place.shift_s = shift_s_;
  first_of_connection_ = false;
  place.code_s = std::max(0.0, code_s + place.shift_s);
  last_code_s_ = place.code_s;
  newest_s_ = std::max(newest_s_, times.newest_key_s + place.shift_s);
  last_receive_s_ = receive_s;
  return place;
}

}  // namespace posewire::renderer_sink
