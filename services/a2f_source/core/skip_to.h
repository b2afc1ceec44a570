// Starts a stream at a given time.
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

// Drops everything before a time, and counts time codes from there. Audio is cut to the sample. A
// track with no key after that time keeps its last key, which is sent with the first message. Other
// messages after the time keep their bytes except for the time codes. One thread.
class SkipTo {
 public:
  SkipTo(double from_s, int audio_rate_hz) : from_s_(from_s), audio_rate_hz_(audio_rate_hz) {}

  // Cuts a message; call in the order of the stream. Returns false if nothing of it is left.
  bool Cut(wire::Message& message);

  // Returns true if there was anything after the time.
  bool began() const { return began_; }

 private:
  void Hold(const wire::DataChunk& before);
  void AddHeld(wire::DataChunk& first) const;

  double from_s_;
  int audio_rate_hz_;
  bool began_ = false;
  wire::DataChunk held_;  // the last key of each track before the time
};

// Parses a time in a clip file as timecode::ParseTime does, at the rate of the track with the most
// keys. Reads the file if it needs that rate, with `fps` as in clipio::OpenOptions.
// INVALID_ARGUMENT for text that is not a time, for a time before 0, and for SMPTE time code with
// standard input, "-"; the errors of recording::ClipReader; CANCELLED once `stopped`, which is
// checked at each message, returns true.
absl::StatusOr<double> TimeInClip(
    absl::string_view text, const std::string& path,
    absl::FunctionRef<bool()> stopped = [] { return false; },
    const std::optional<timecode::FrameRate>& fps = {});

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SKIP_TO_H_
