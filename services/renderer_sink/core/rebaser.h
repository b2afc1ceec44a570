// Puts the codes of a pull, over all its connections, on one time line that starts at 0.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_REBASER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_REBASER_H_

#include <optional>

#include "libs/wire/message.h"

namespace posewire::renderer_sink {

// Time is epoch + code, counted from the first message's; its pose lies at 0. Over a reconnection
// it goes on by epoch + code as long as that agrees with the clock of this machine to 5 s and
// rises; else (a server whose wall clock stepped, or that sends no epoch) the hole is as long as it
// took. Receive times are seconds of a clock that does not step. One thread.
class Rebaser {
 public:
  // Longest hole that is kept: readers refuse jumps over 300 s.
  static constexpr double kLongestHole_s = 290;

  // A connection's header.
  void OnHeader(double epoch_s);

  struct Place {
    // To be added to the message's codes.
    double shift_s = 0;
    // Code of the frame on the new line: of its pose, else its earliest.
    double code_s = 0;
    // Set on a connection's first message but the first: from the last frame to this one.
    std::optional<double> hole_s;
    // The hole was not taken from epoch + code.
    bool moved = false;
  };
  // Messages without codes have no place; they are written as they are.
  std::optional<Place> OnMessage(const wire::ChunkTimes& times, double receive_s);

  // Unix time of code 0, by the first header; nothing before the first code.
  std::optional<double> origin_epoch_s() const { return origin_epoch_s_; }

 private:
  double epoch_s_ = 0;
  bool first_of_connection_ = true;
  std::optional<double> origin_epoch_s_;
  // Where the line has its 0, by the clock of the server that sent the newest header that it could
  // not go on by. Kept apart, since their sum has fewer digits.
  struct {
    double epoch_s = 0, code_s = 0;
  } zero_;
  double shift_s_ = 0;      // of the connection
  double last_code_s_ = 0;  // of the last message's frame
  double newest_s_ = 0;     // of any key, or of the beginning of any sound
  double last_receive_s_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_REBASER_H_
