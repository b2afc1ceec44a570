// Puts clips one after the other, message by message.
//
// The first clip keeps its codes and its header. Each further one starts a frame after all before
// it has ended, keys and sound, or `gap_s` later; in between, tracks go straight from the last key
// to the next. What only some of the clips name is at rest in the others. The rate of the first
// clip is kept: codes at whole frames are exact.
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

  // Of clips with these facts, which it borrows, at least one; `rig` is as ChooseRig takes it, and
  // says how joints are at rest. INVALID_ARGUMENT for a joint of some clips only that the rig does
  // not know, and for voices at different rates.
  static absl::StatusOr<Joiner> Make(absl::Span<const ClipFacts> clips, std::optional<double> gap_s,
                                     const std::string& rig);

  // Goes on to the next clip: the first one, at first.
  void Next();

  // Makes the first clip's header that of all.
  void ChangeHeader(nvidia_ace::animation_data::v1::AnimationDataStreamHeader& header) const;

  // Moves a message of the clip to its place; no header, no status.
  void Place(Message& message);

  // Where the clip begins.
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
  std::vector<int> joint_places_, shape_places_;  // of the clip's names among all
  double start_s_ = 0, offset_s_ = 0;
  double keys_end_s_ = 0, end_s_ = 0;  // of all up to this clip
  int64_t sound_end_ = 0;              // in samples
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_JOINER_H_
