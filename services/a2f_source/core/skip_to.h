// Starts a stream at a time within it.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SKIP_TO_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SKIP_TO_H_

#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/timecode/frame_rate.h"
#include "libs/wire/message.h"

namespace posewire::a2f_source {

// Leaves out what lies before a time, and counts codes from there. Sound is cut to the sample. A
// track that fell silent before holds its last key, which comes with the first message; other
// messages behind the time keep their bytes but for the codes. One thread.
class SkipTo {
 public:
  SkipTo(double from_s, int audio_rate_hz) : from_s_(from_s), audio_rate_hz_(audio_rate_hz) {}

  // Cuts a message, in the order of the stream. False: nothing of it is left.
  bool Cut(wire::Message& message);

  // Whether anything lay behind the time.
  bool began() const { return began_; }

 private:
  void Hold(const wire::DataChunk& before);
  void AddHeld(wire::DataChunk& first) const;

  double from_s_;
  int audio_rate_hz_;
  bool began_ = false;
  wire::DataChunk held_;  // the last key of each track before the time
};

// A time in a clip file, as timecode::ParseTime reads it, at the rate of the track with the most
// keys; reads the file, with `fps` as of clipio::OpenOptions, when it must know that.
// INVALID_ARGUMENT for what is no time or lies before 0, and for time code in standard input, "-";
// the errors of recording::ClipReader; CANCELLED once `stopped`, which is asked at each message,
// says so.
absl::StatusOr<double> TimeInClip(
    absl::string_view text, const std::string& path,
    absl::FunctionRef<bool()> stopped = [] { return false; },
    const std::optional<timecode::FrameRate>& fps = {});

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SKIP_TO_H_
