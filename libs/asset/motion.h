// The keys of a whole clip in memory: what files need that say how many frames there are, or name
// their joints, before the first of them.
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

// Takes the next bytes of a file.
using PutBytes = absl::FunctionRef<absl::Status(absl::string_view)>;
// Writers of text collect this much before they put it.
inline constexpr size_t kPutBytes = 64 << 10;

// A file beside a clip that holds its voice: its name, and from when to when it is heard.
struct VoiceFile {
  std::string name;
  double start_s = 0;
  double end_s = 0;
};

struct Motion {
  std::optional<wire::StreamHeader> header;
  std::vector<skel::KeyTrack> tracks;  // in the order of PoseTrack, once the header is there
  std::array<std::vector<double>, wire::kPoseTracks> time_codes_s;  // of their keys
  std::vector<skel::KeyTrack> camera;                               // in the order of CameraTrack
  std::array<std::vector<double>, wire::kCameraTracks> camera_time_codes_s;
  std::optional<VoiceFile> voice;  // where there is one

  void Start(wire::StreamHeader read);
  // After the header. Keys that do not come after those of their track are left out.
  void Append(const wire::DataChunk& data);

  // Memory of the keys' contents; the buffers around them may be twice as large.
  size_t key_bytes() const;
  // Of the poses; infinite, the first above the last, without any key.
  double first_s() const;
  double last_s() const;
};

// Frames at even distances. Times are those of a rate, without any error that adds up, where the
// distance is the one of a rate: n or n / 1.001 frames a second, n whole and at most 1000.
class FrameClock {
 public:
  // The rate must be as near as `tolerance_s` to the distance, which is over 0.
  FrameClock(double frame_s, double tolerance_s);

  double frame_s() const { return Seconds(1); }
  double Seconds(int64_t frame) const { return static_cast<double>(frame) * num_ / den_; }

 private:
  double num_, den_ = 1;  // a frame lasts num / den seconds
};

// Keys of a rate are this near to its frames.
inline constexpr double kSameFrame_s = 1e-6;
// The most that readers take: joints times keys, and bytes of all joints' paths.
inline constexpr size_t kMostTurns = 32u << 20, kMostPathBytes = 1 << 20;

// The clock of the keys of a track, and how many of its frames lead from the first key to the last.
// Of uneven keys, the middle one of their distances counts, but there are at most 16 frames a key.
struct EvenKeys {
  FrameClock clock;
  double first_s = 0;
  int64_t frames = 0;
};
EvenKeys EvenKeysOf(const std::vector<double>& time_codes_s);

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_MOTION_H_
