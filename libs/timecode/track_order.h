// The order that the time codes of one track must keep, across all messages of a stream.
#ifndef POSEWIRE_LIBS_TIMECODE_TRACK_ORDER_H_
#define POSEWIRE_LIBS_TIMECODE_TRACK_ORDER_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::timecode {

// Far beyond any real stream: sums and products of codes stay finite and exact to a microsecond.
inline constexpr double kMaxCode_s = 1e10;

// INVALID_ARGUMENT unless the code is finite, at least 0 and at most kMaxCode_s. The error names
// `where` ("audio").
absl::Status CheckTimeCode(absl::string_view where, double code_s);

// Codes are legal and strictly increasing, within a message and across messages of the same track;
// they jump by at most `max_jump_s` from one key to the next. The first key of a track may be
// anywhere.
class TrackOrder {
 public:
  // Errors name `field` ("skel_animation.rotations").
  explicit TrackOrder(absl::string_view field, double max_jump_s = 300)
      : field_(field), max_jump_s_(max_jump_s) {}

  // Takes the codes of one message. INVALID_ARGUMENT names field, index and value, and then none
  // are taken. Allocates only for an error.
  absl::Status Add(absl::Span<const double> codes_s);

  // Takes the single code of a message. False, with nothing taken, if Add would refuse it.
  bool TryAdd(double code_s) {
    if (!(code_s >= 0 && code_s <= kMaxCode_s)) return false;
    if (last_s_ && !(code_s > *last_s_ && code_s - *last_s_ <= max_jump_s_)) return false;
    last_s_ = code_s;
    return true;
  }

  // The next key may be anywhere again.
  void Forget() { last_s_.reset(); }

  // The newest code taken.
  const std::optional<double>& last_s() const { return last_s_; }

 private:
  absl::Status Check(size_t index, double code_s, const std::optional<double>& before_s) const;

  std::string field_;
  double max_jump_s_;
  std::optional<double> last_s_;
};

}  // namespace posewire::timecode

#endif  // POSEWIRE_LIBS_TIMECODE_TRACK_ORDER_H_
