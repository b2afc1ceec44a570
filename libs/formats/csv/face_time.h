// Time codes of Live Link Face's tables, and the frame rate that they use, which the tables do not
// state.
#ifndef POSEWIRE_LIBS_FORMATS_CSV_FACE_TIME_H_
#define POSEWIRE_LIBS_FORMATS_CSV_FACE_TIME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::csv {

// "15:03:54:34.548", whose last part is frames with a fraction; after a semicolon in drop-frame
// (SMPTE ST 12-1). Or "15:03:54.548", without frames.
struct FaceTimeCode {
  int64_t second = 0;  // of the day, by the label
  double frames = 0;   // or without frames, the fraction of the second
  bool counts_frames = true;
  bool drop_frame = false;

  // Returns nothing for other texts.
  static std::optional<FaceTimeCode> Parse(absl::string_view text);
};

// Returns the number of labels per second: 30 at 29.97.
int64_t LabelsASecond(const timecode::FrameRate& rate);
// Returns seconds since midnight at this rate, without the labels that drop-frame skips.
double SecondsOf(const FaceTimeCode& code, const timecode::FrameRate& rate);
// Returns the duration from midnight to midnight.
double DayOf(const FaceTimeCode& code, const timecode::FrameRate& rate);

// Finds the rate from the ends of seconds: the step from a second's last frame to the next one's
// first is like those within a second. One thread.
class FaceRateGuess {
 public:
  // Call in the order of the table.
  void Add(const FaceTimeCode& code);
  // Returns true when there is enough evidence.
  bool done() const { return ends_.size() >= kEnoughSeconds; }

  struct Result {
    timecode::FrameRate rate;
    std::string doubt;  // why it may be another; "" if all evidence agrees
  };
  // 24, 25, 30, 48, 50, 60, 90, 100, 120 or 240, or the whole number that all seconds agree on;
  // 29.97 and 59.94 only in drop-frame. Without evidence, Live Link Face's default, 60.
  Result Make() const;

 private:
  static constexpr size_t kEnoughSeconds = 10;

  std::optional<FaceTimeCode> last_;
  std::vector<double> steps_;  // between rows within a second, in frames
  std::vector<double> ends_;   // the last frame of a second minus the first of the next
  double highest_ = 0;         // frame
  bool counts_frames_ = false, drop_frame_ = false;
};

}  // namespace posewire::csv

#endif  // POSEWIRE_LIBS_FORMATS_CSV_FACE_TIME_H_
