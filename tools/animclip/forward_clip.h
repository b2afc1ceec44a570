// Samples the tracks of a clip file at times that must not decrease, and reads the file
// sequentially.
//
// Keeps only the keys around the current time, whatever the file's length, as long as its tracks
// advance together.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_FORWARD_CLIP_H_
#define POSEWIRE_TOOLS_ANIMCLIP_FORWARD_CLIP_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/recording/clip_reader.h"
#include "tools/animclip/clip_facts.h"

namespace posewire::animclip {

// Indices of all tracks: the four of the pose, then the four of the camera.
inline constexpr int kFirstCameraTrack = wire::kPoseTracks;
inline constexpr int kTracks = kFirstCameraTrack + wire::kCameraTracks;

constexpr bool IsRotationTrack(int track) {
  return track == wire::kRotations || track == kFirstCameraTrack + wire::kCameraRotation;
}

class ForwardClip {
 public:
  // `facts` must be those of the same file; they contain the end of each track.
  static absl::StatusOr<ForwardClip> Open(const std::string& path, const ClipFacts& facts);

  // Reads until every track that has keys covers `t_s`, which must not be before the last one.
  absl::Status Advance(double t_s);

  bool has(int track) const { return last_s_[static_cast<size_t>(track)] >= 0; }
  // Returns the value at the time of Advance: interpolated between keys, constant outside; empty
  // for a track without keys. Valid until the next call of this class.
  absl::Span<const float> Sample(int track);

  // Returns the time code of the first key after the current time; infinite if there is none.
  double NextCode(int track) const;

  // Returns the distance of the track's nearest key from the current time; infinite if it has none.
  double KeyDistance(int track) const;

  const wire::StreamHeader& header() const { return header_; }
  int64_t position() const { return input_->end_of_last(); }

 private:
  struct Key {
    double time_code_s;
    std::vector<float> values;
  };
  ForwardClip(std::unique_ptr<recording::ClipReader> input, const ClipFacts& facts);
  bool Covers(double t_s) const;
  void Take(const wire::DataChunk& data);

  std::unique_ptr<recording::ClipReader> input_;
  wire::StreamHeader header_;
  std::array<double, kTracks> last_s_;  // -1: no keys
  std::array<std::deque<Key>, kTracks> keys_;
  std::array<std::vector<float>, kTracks> sample_;
  double now_s_ = 0;
  bool ended_ = false;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_FORWARD_CLIP_H_
