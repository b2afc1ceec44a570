// Puts the codes of a pull, over all its connections, on one time line that starts at 0.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_TIME_CODE_SHIFTER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_TIME_CODE_SHIFTER_H_

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "libs/wire/chunk.h"
#include "libs/wire/message.h"

namespace posewire::renderer_sink {

// Time is epoch + code, counted from the first message's; its pose is at 0. Over a reconnection it
// goes on by epoch + code as long as that agrees with the clock of this machine to 5 s and rises;
// else (a server whose wall clock stepped, or that sends no epoch) the hole is as long as it took.
//
// Within a connection time goes on by the codes. Where they jump by more than kLongestStep_s, the
// jump is closed: the line goes on one frame after everything it has. Ahead: all codes of a message
// are that far after everything so far, or codes within a message are that far apart. Back: each
// track of a message ends that far before its newest key, so that repeated codes, and tracks that
// come one after the other, are no jump. Receive times are seconds of a clock that does not step.
// One thread.
class TimeCodeShifter {
 public:
  // Longest hole that is kept: readers refuse jumps over 300 s.
  static constexpr double kLongestHole_s = 290;
  static constexpr double kLongestStep_s = 300;

  // A connection's header.
  void OnHeader(double epoch_s);

  struct Place {
    // To be added to the message's codes, up to the first of `later`.
    double shift_s = 0;
    // Code of the frame on the new line: of its pose, else its earliest.
    double time_code_s = 0;
    // Set on a connection's first message but the first: from the last frame to this one.
    std::optional<double> gap_s;
    // The hole was not taken from epoch + code, or a jump was closed.
    bool moved = false;
    // Jumps that were closed, and the time that was left out for them, ahead or back.
    int jumps = 0;
    double left_out_s = 0;
    // After jumps within the message: from these codes on other shifts count. Rising.
    struct Shift {
      double from_s = 0;
      double shift_s = 0;
    };
    std::vector<Shift> later;

    // A code of the message on the new line.
    double At(double time_code_s) const;
  };
  // `rate_hz` is that of the sound; 0 without. Messages without codes have no place; they are
  // written as they are.
  std::optional<Place> OnMessage(const wire::DataChunk& data, int rate_hz, double receive_s);

  // Unix time of code 0, by the first header; nothing before the first code.
  std::optional<double> origin_epoch_s() const { return origin_epoch_s_; }

 private:
  // Of the sound; the tracks before it are those of wire::EachTrack.
  static constexpr size_t kSound = size_t{wire::kPoseTracks} + size_t{wire::kCameraTracks};

  void PlaceOverHole(double time_code_s, double receive_s, Place* place);
  void CloseJump(double time_code_s, Place* place);
  void CloseJumpsWithin(const wire::DataChunk& data, int rate_hz, Place* place);
  bool FellBack(const wire::DataChunk& data) const;
  void Remember(const wire::DataChunk& data, int rate_hz, const Place& place);
  // Where the line goes on after a jump.
  double next_s() const;

  double epoch_s_ = 0;
  bool first_of_connection_ = true;
  std::optional<double> origin_epoch_s_;
  // Where the line has its 0, by the clock of the server that sent the newest header that it could
  // not go on by. Kept apart, since their sum has fewer digits.
  struct {
    double epoch_s = 0, time_code_s = 0;
  } zero_;
  double shift_s_ = 0;      // of the connection, since its last jump
  double last_code_s_ = 0;  // of the last message's frame
  double newest_s_ = 0;     // of any key, or of the beginning of any sound
  double end_s_ = 0;        // of any key or sound
  double step_s_ = 1.0 / 30;
  std::array<std::optional<double>, kSound + 1> newest_of_track_s_;
  double last_receive_s_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_TIME_CODE_SHIFTER_H_
