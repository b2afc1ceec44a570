// Maps the time codes of a pull, over all its connections, to one time line that begins at 0.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_TIME_CODE_SHIFTER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_TIME_CODE_SHIFTER_H_

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "libs/wire/chunk.h"
#include "libs/wire/message.h"

namespace posewire::renderer_sink {

// Time is epoch + time code, relative to the first message, whose pose is at 0. After a
// reconnection the line continues by epoch + time code if that agrees with this machine's clock to
// within 5 s and increases. Otherwise (the server's wall clock stepped, or it sends no epoch) the
// gap is as long as it took.
//
// Within a connection, time follows the time codes. A jump of more than kLongestStep_s is closed:
// the line continues one frame after its end. A jump ahead: all time codes of a message are that
// far after everything so far, or time codes within a message are that far apart. A jump back: each
// track of a message ends that far before its newest key, so repeated time codes, and tracks that
// come one after the other, are not a jump. Receive times are seconds of a steady clock. One
// thread.
class TimeCodeShifter {
 public:
  // Longest gap that is kept, because readers reject jumps over 300 s.
  static constexpr double kLongestHole_s = 290;
  static constexpr double kLongestStep_s = 300;

  // Begins a connection.
  void OnHeader(double epoch_s);
  // Returns a shifter for another pull of the same time line, which begins now. Requires a message
  // with time codes.
  TimeCodeShifter NextTo() const;

  struct Place {
    // Added to the message's time codes, up to the first of `later`.
    double shift_s = 0;
    // Time code of the frame on the new line: that of its pose, or else its earliest.
    double time_code_s = 0;
    // Set on a connection's first message, except for the first connection: time since the last
    // frame.
    std::optional<double> gap_s;
    // The gap was not derived from epoch + time code, or a jump was closed.
    bool moved = false;
    // Number of closed jumps, and the time removed by that, ahead or back.
    int jumps = 0;
    double left_out_s = 0;
    // After jumps within the message: other shifts apply from these time codes on. Ascending.
    struct Shift {
      double from_s = 0;
      double shift_s = 0;
    };
    std::vector<Shift> later;

    // Maps a time code of the message to the new line.
    double At(double time_code_s) const;
  };
  // `rate_hz` is the audio's rate; 0 without audio. Messages without time codes have no place and
  // are written unchanged.
  std::optional<Place> OnMessage(const wire::DataChunk& data, int rate_hz, double receive_s);

  // Unix time of time code 0, from the first header; nothing before the first time code.
  std::optional<double> origin_epoch_s() const { return origin_epoch_s_; }

 private:
  // Index of the audio; the tracks before it are those of wire::EachTrack.
  static constexpr size_t kSound = size_t{wire::kPoseTracks} + size_t{wire::kCameraTracks};

  void PlaceOverHole(double time_code_s, double receive_s, Place* place);
  void CloseJump(double time_code_s, Place* place);
  void CloseJumpsWithin(const wire::DataChunk& data, int rate_hz, Place* place);
  bool FellBack(const wire::DataChunk& data) const;
  void Remember(const wire::DataChunk& data, int rate_hz, const Place& place);
  // Where the line continues after a jump.
  double next_s() const;

  double epoch_s_ = 0;
  bool first_of_connection_ = true;
  std::optional<double> origin_epoch_s_;
  // Origin of the line, by the clock of the server whose header last set it anew. The parts are
  // kept separate, because their sum has less precision.
  struct {
    double epoch_s = 0, time_code_s = 0;
  } zero_;
  double shift_s_ = 0;      // of the connection, since its last jump
  double last_code_s_ = 0;  // of the last message's frame
  double newest_s_ = 0;     // of all keys and starts of audio
  double end_s_ = 0;        // of all keys and audio
  double step_s_ = 1.0 / 30;
  std::array<std::optional<double>, kSound + 1> newest_of_track_s_;
  double last_receive_s_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_TIME_CODE_SHIFTER_H_
