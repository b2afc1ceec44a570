// Checks the order of the time codes of one track, across all messages of a stream.
#ifndef POSEWIRE_LIBS_TIMECODE_TRACK_ORDER_H_
#define POSEWIRE_LIBS_TIMECODE_TRACK_ORDER_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::timecode {

// Far beyond any real stream: sums and products of time codes stay finite and exact to a
// microsecond.
inline constexpr double kMaxCode_s = 1e10;

// INVALID_ARGUMENT unless the time code is finite, at least 0 and at most kMaxCode_s. The error
// names `where` ("audio").
absl::Status CheckTimeCode(absl::string_view where, double time_code_s);

// Time codes must be legal and strictly increasing, within a message and across messages of the
// same track, and jump by at most `max_jump_s` from one key to the next. The first key of a track
// may be anywhere.
class TrackOrder {
 public:
  // Errors name `field` ("skel_animation.rotations").
  explicit TrackOrder(absl::string_view field, double max_jump_s = 300)
      : field_(field), max_jump_s_(max_jump_s) {}

  // Accepts the time codes of one message, or none of them: INVALID_ARGUMENT names field, index and
  // value. Allocates only for an error.
  absl::Status Add(absl::Span<const double> time_codes_s);

  // Accepts the single time code of a message. Returns false, and accepts nothing, if Add would
  // reject it.
  bool TryAdd(double time_code_s) {
    if (!(time_code_s >= 0 && time_code_s <= kMaxCode_s)) return false;
    if (last_s_ && !(time_code_s > *last_s_ && time_code_s - *last_s_ <= max_jump_s_)) return false;
    last_s_ = time_code_s;
    return true;
  }

  // The next key may be anywhere again.
  void Forget() { last_s_.reset(); }

  // The newest accepted time code.
  const std::optional<double>& last_s() const { return last_s_; }

 private:
  absl::Status Check(size_t index, double time_code_s, const std::optional<double>& before_s) const;

  std::string field_;
  double max_jump_s_;
  std::optional<double> last_s_;
};

}  // namespace posewire::timecode

#endif  // POSEWIRE_LIBS_TIMECODE_TRACK_ORDER_H_
