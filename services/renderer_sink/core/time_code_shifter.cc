#include "services/renderer_sink/core/time_code_shifter.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace posewire::renderer_sink {
namespace {

// The first audio sample of a frame may lie up to one sample before its pose.
constexpr double kFrameSlack_s = 1e-3;
// How far epoch + time code and this machine's clock may differ over a gap.
constexpr double kAgreement_s = 5;
// Minimum distance of frames over a gap.
constexpr double kLeastHole_s = 1e-3;
// How far the first message of another pull may be before the last one of this.
constexpr double kJoining_s = 1;
// Steps from message to message within these are one frame.
constexpr double kLeastFrame_s = 1e-3, kLongestFrame_s = 1;

double FrameCode(const wire::ChunkTimes& times) {
  return times.first_pose_s - times.earliest_s <= kFrameSlack_s ? times.first_pose_s
                                                                : times.earliest_s;
}

}  // namespace

double TimeCodeShifter::Place::At(double time_code_s) const {
  const auto after =
      std::upper_bound(later.begin(), later.end(), time_code_s,
                       [](double code, const Shift& shift) { return code < shift.from_s; });
  return std::max(0.0,
                  time_code_s + (after == later.begin() ? shift_s : std::prev(after)->shift_s));
}

void TimeCodeShifter::OnHeader(double epoch_s) {
  epoch_s_ = epoch_s;
  first_of_connection_ = true;
}

TimeCodeShifter TimeCodeShifter::NextTo() const {
  TimeCodeShifter out = *this;
  // Its first frame may be that of the last message, or one of a moment ago.
  out.last_code_s_ -= kJoining_s;
  out.newest_s_ = out.last_code_s_;
  out.last_receive_s_ -= kJoining_s;
  out.newest_of_track_s_.fill(std::nullopt);
  return out;
}

std::optional<TimeCodeShifter::Place> TimeCodeShifter::OnMessage(const wire::DataChunk& data,
                                                                 int rate_hz, double receive_s) {
  const wire::ChunkTimes times = wire::TimesOf(data, rate_hz);
  if (times.empty()) return std::nullopt;
  const double time_code_s = FrameCode(times);
  Place place;
  if (!origin_epoch_s_) {
    origin_epoch_s_ = epoch_s_ + time_code_s;
    zero_ = {epoch_s_, time_code_s};
    shift_s_ = -time_code_s;
  } else if (first_of_connection_) {
    PlaceOverHole(time_code_s, receive_s, &place);
  } else if (times.earliest_s + shift_s_ > end_s_ + kLongestStep_s || FellBack(data)) {
    CloseJump(time_code_s, &place);
  }
  place.shift_s = shift_s_;
  if (times.latest_s - times.earliest_s > kLongestStep_s) CloseJumpsWithin(data, rate_hz, &place);
  first_of_connection_ = false;
  place.time_code_s = place.At(time_code_s);
  const double step_s = place.time_code_s - last_code_s_;
  if (!place.moved && !place.gap_s && step_s >= kLeastFrame_s && step_s <= kLongestFrame_s) {
    step_s_ = step_s;
  }
  last_code_s_ = place.time_code_s;
  last_receive_s_ = receive_s;
  Remember(data, rate_hz, place);
  return place;
}

void TimeCodeShifter::PlaceOverHole(double time_code_s, double receive_s, Place* place) {
  shift_s_ = (epoch_s_ - zero_.epoch_s) - zero_.time_code_s;
  const double elapsed_s = std::max(kLeastHole_s, receive_s - last_receive_s_);
  // A message may hold much more than its first frame.
  const double held_s = newest_s_ - last_code_s_;
  double gap_s = time_code_s + shift_s_ - last_code_s_;
  place->moved = !(gap_s >= std::max(held_s, 0.0) + kLeastHole_s &&
                   std::abs(gap_s - elapsed_s) <= std::max(held_s, 0.0) + kAgreement_s);
  if (place->moved) gap_s = std::max(elapsed_s, held_s + kLeastHole_s);
  if (gap_s > held_s + kLongestHole_s) {
    gap_s = held_s + kLongestHole_s;
    place->moved = true;
  }
  if (place->moved) {
    shift_s_ = last_code_s_ + gap_s - time_code_s;
    zero_ = {epoch_s_, -shift_s_};
  }
  place->gap_s = gap_s;
}

// A sound's last sample may lie up to one sample after the next frame begins.
double TimeCodeShifter::next_s() const {
  const double frame_s = newest_s_ + step_s_;
  return end_s_ > frame_s + kFrameSlack_s ? end_s_ : frame_s;
}

void TimeCodeShifter::CloseJump(double time_code_s, Place* place) {
  place->moved = true;
  ++place->jumps;
  place->left_out_s += std::abs(time_code_s + shift_s_ - next_s());
  shift_s_ = next_s() - time_code_s;
  zero_ = {epoch_s_, -shift_s_};
}

bool TimeCodeShifter::FellBack(const wire::DataChunk& data) const {
  bool fell = true;
  const auto look = [&](size_t track, double time_code_s) {
    const std::optional<double>& newest_s = newest_of_track_s_[track];
    fell = fell && newest_s && time_code_s + shift_s_ < *newest_s - kLongestStep_s;
  };
  wire::EachTrack(data, [&](size_t track, const wire::KeyBlock& keys) {
    look(track, keys.time_codes_s.back());
  });
  if (data.audio) look(kSound, data.audio->time_code_s);
  return fell;
}

// The next message continues with the shift of this one's beginning, because some senders have
// another clock for a track, so that each message jumps within itself.
void TimeCodeShifter::CloseJumpsWithin(const wire::DataChunk& data, int rate_hz, Place* place) {
  struct Span {
    double from_s, to_s;
  };
  std::vector<Span> spans;
  wire::EachTrack(data, [&](size_t, const wire::KeyBlock& keys) {
    for (const double time_code_s : keys.time_codes_s) spans.push_back({time_code_s, time_code_s});
  });
  if (data.audio) spans.push_back({data.audio->time_code_s, wire::EndOf(*data.audio, rate_hz)});
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.from_s < b.from_s; });
  double shift_s = place->shift_s;
  for (const Span& span : spans) {
    const double time_code_s = span.from_s + shift_s;
    if (time_code_s > end_s_ + kLongestStep_s && span.from_s > spans.front().from_s) {
      ++place->jumps;
      place->left_out_s += time_code_s - next_s();
      shift_s = next_s() - span.from_s;
      place->later.push_back({span.from_s, shift_s});
    }
    newest_s_ = std::max(newest_s_, span.from_s + shift_s);
    end_s_ = std::max(end_s_, span.to_s + shift_s);
  }
}

void TimeCodeShifter::Remember(const wire::DataChunk& data, int rate_hz, const Place& place) {
  const auto remember = [&](size_t track, double time_code_s, double length_s) {
    const double at_s = place.At(time_code_s);
    std::optional<double>& newest_s = newest_of_track_s_[track];
    newest_s = std::max(newest_s.value_or(at_s), at_s);
    newest_s_ = std::max(newest_s_, at_s);
    end_s_ = std::max(end_s_, at_s + length_s);
  };
  wire::EachTrack(data, [&](size_t track, const wire::KeyBlock& keys) {
    remember(track, keys.time_codes_s.back(), 0);
  });
  if (!data.audio) return;
  const double begin_s = data.audio->time_code_s;
  remember(kSound, begin_s, wire::EndOf(*data.audio, rate_hz) - begin_s);
}

}  // namespace posewire::renderer_sink
