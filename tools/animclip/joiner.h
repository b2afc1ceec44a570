// Concatenates clips, message by message.
//
// The first clip keeps its time codes and its header. Each further one starts a frame after the end
// of everything before it, keys and audio, or `gap_s` later; in between, tracks are interpolated
// linearly from the last key to the next. Elements that only some clips name are at rest in the
// others. The rate of the first clip is kept: time codes at whole frames are exact.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_JOINER_H_
#define POSEWIRE_TOOLS_ANIMCLIP_JOINER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/skel/math.h"
#include "libs/timecode/frame_rate.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tools/animclip/clip_facts.h"

namespace posewire::animclip {

class Joiner {
 public:
  using Message = nvidia_ace::animation_data::v1::AnimationDataStream;

  // `clips` must not be empty and must outlive this. `rig` is as in ChooseRig, and defines the rest
  // pose. INVALID_ARGUMENT for a joint of only some clips that the rig does not have, and for
  // voices at different rates.
  static absl::StatusOr<Joiner> Make(absl::Span<const ClipFacts> clips, std::optional<double> gap_s,
                                     const std::string& rig);

  // Advances to the next clip; the first call to the first one.
  void Next();

  // Changes the first clip's header to that of all.
  void ChangeHeader(nvidia_ace::animation_data::v1::AnimationDataStreamHeader& header) const;

  // Moves a message of the clip to its place; not for headers and statuses.
  void Place(Message& message);

  // Start of the current clip.
  double start_s() const { return start_s_; }

 private:
  Joiner(absl::Span<const ClipFacts> clips, std::optional<double> gap_s);
  absl::Status FindRest(const std::string& rig);
  double Moved(double time_code_s) const;
  void PlaceAudio(nvidia_ace::animation_data::v1::AudioWithTimeCode& audio);

  absl::Span<const ClipFacts> clips_;
  size_t next_ = 0;
  std::optional<timecode::FrameRate> rate_;
  std::optional<double> gap_s_;
  std::vector<std::string> joints_, shapes_;  // of all clips
  std::vector<skel::Vec3> rest_at_;           // of the joints
  std::vector<skel::Quat> rest_turn_;
  int audio_rate_hz_ = 0;                         // 0: no voice
  std::vector<int> joint_places_, shape_places_;  // indices of the clip's names among all
  double start_s_ = 0, offset_s_ = 0;
  double keys_end_s_ = 0, end_s_ = 0;  // of all clips up to this one
  int64_t sound_end_ = 0;              // in samples
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_JOINER_H_
