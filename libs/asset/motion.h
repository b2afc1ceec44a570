// The keys of a whole clip in memory, for file formats whose frame count or joint names precede the
// first frame.
#ifndef POSEWIRE_LIBS_ASSET_MOTION_H_
#define POSEWIRE_LIBS_ASSET_MOTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/skel/key_track.h"
#include "libs/wire/chunk.h"

namespace posewire::asset {

// Writes the next bytes of a file.
using PutBytes = absl::FunctionRef<absl::Status(absl::string_view)>;
// Writers of text collect this many bytes before each write.
inline constexpr size_t kPutBytes = 64 << 10;

// A sound file next to a clip that has its voice: its name, and the time codes at which it begins
// and ends.
struct VoiceFile {
  std::string name;
  double start_s = 0;
  double end_s = 0;
};

struct Motion {
  std::optional<wire::StreamHeader> header;
  std::vector<skel::KeyTrack> tracks;  // in the order of PoseTrack, once the header is there
  // one array per track of `tracks`
  std::array<std::vector<double>, wire::kPoseTracks> time_codes_s;
  std::vector<skel::KeyTrack> camera;  // in the order of CameraTrack
  std::array<std::vector<double>, wire::kCameraTracks> camera_time_codes_s;
  std::optional<VoiceFile> voice;  // absent if the clip has none

  void Start(wire::StreamHeader read);
  // Call after Start. Drops keys that do not come after the last key of their track.
  void Append(const wire::DataChunk& data);

  // Bytes that the keys take. The buffers around them may be up to twice as large.
  size_t key_bytes() const;
  // Time codes of the first and last pose key. Without any key they are infinite, the first above
  // the last.
  double first_s() const;
  double last_s() const;
};

// Frames at a fixed interval. If the interval is that of a rate of n or n / 1.001 frames a second,
// n whole and at most 1000, times are computed from the rate and no error adds up.
class FrameClock {
 public:
  // Takes a rate if its interval differs from `frame_s` by at most `tolerance_s`. `frame_s` is over
  // 0.
  FrameClock(double frame_s, double tolerance_s);

  double frame_s() const { return Seconds(1); }
  double Seconds(int64_t frame) const { return static_cast<double>(frame) * num_ / den_; }

 private:
  double num_, den_ = 1;  // a frame lasts num / den seconds
};

// Keys of a rate may be off its frames by this much.
inline constexpr double kSameFrame_s = 1e-6;
// Limits that all readers share: joints times keys, and bytes of all joint paths.
inline constexpr size_t kMostTurns = 32u << 20, kMostPathBytes = 1 << 20;

// The clock of a track's keys, and the number of frames from the first key to the last. For
// unevenly spaced keys, the median interval is used, but there are at most 16 frames per key.
struct EvenKeys {
  FrameClock clock;
  double first_s = 0;
  int64_t frames = 0;
};
EvenKeys EvenKeysOf(const std::vector<double>& time_codes_s);

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_MOTION_H_
